/* Four threads increment a counter with a lock. The buggy twin is racy-counter. */
#include "../order.h"
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *work(void *number) {
    for (int i = 0; i < 2000; i++) {
        pthread_mutex_lock(&mutex);
        counter++;
        came_by((uintptr_t)number);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    printf("counter %d\n", counter);
    print_order();
    return 0;
}
