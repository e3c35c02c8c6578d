/* A thread that is cancelled while it waits, and its clean-up handler. */
#include "../order.h"
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int steps, cleaned;

static void clean(void *number) {
    pthread_mutex_lock(&mutex);
    cleaned++;
    came_by(100 + (uintptr_t)number);
    pthread_mutex_unlock(&mutex);
}

static void *work(void *number) {
    pthread_cleanup_push(clean, number);
    for (;;) {
        pthread_mutex_lock(&mutex);
        steps++;
        came_by((uintptr_t)number);
        pthread_mutex_unlock(&mutex);
        pthread_testcancel();
    }
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    void *results[2];
    for (uintptr_t i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (;;) {
        pthread_mutex_lock(&mutex);
        int enough = steps >= 100;
        pthread_mutex_unlock(&mutex);
        if (enough) break;
    }
    for (int i = 0; i < 2; i++) pthread_cancel(threads[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], &results[i]);
    printf("cancelled %d, cleaned %d\n", (results[0] == PTHREAD_CANCELED) + (results[1] == PTHREAD_CANCELED), cleaned);
    print_order();
    return 0;
}
