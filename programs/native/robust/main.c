/* A robust mutex whose owner ends: whoever takes it next is told. */
#include "../order.h"
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;
static int deaths;

static void *work(void *number) {
    uintptr_t own = (uintptr_t)number;
    for (int i = 0; i < 30; i++) {
        int result = pthread_mutex_lock(&mutex);
        if (result == EOWNERDEAD) {
            deaths++;
            came_by(100 + own);
            pthread_mutex_consistent(&mutex);
        }
        came_by(own);
        if (i == 10 + (int)own) return NULL; /* and keeps it */
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    for (uintptr_t i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    if (pthread_mutex_lock(&mutex) == EOWNERDEAD) deaths++;
    printf("deaths %d\n", deaths);
    print_order();
    return 0;
}
