/* Two threads take two locks in the same order. The buggy twin is deadlock. */
#include "../order.h"
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *number) {
    for (int i = 0; i < 500; i++) {
        pthread_mutex_lock(&a);
        pthread_mutex_lock(&b);
        came_by((uintptr_t)number);
        pthread_mutex_unlock(&b);
        pthread_mutex_unlock(&a);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    for (uintptr_t i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    print_order();
    return 0;
}
