/* Two producers and two consumers around a buffer of three places: condition variables. */
#include "../order.h"
#include <pthread.h>

enum { PLACES = 3, ITEMS = 400 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int buffer[PLACES], used, taken;

static void *produce(void *number) {
    for (int i = 0; i < ITEMS / 2; i++) {
        pthread_mutex_lock(&mutex);
        while (used == PLACES) pthread_cond_wait(&not_full, &mutex);
        buffer[used++] = (int)(uintptr_t)number * 1000 + i;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

static void *consume(void *number) {
    for (;;) {
        pthread_mutex_lock(&mutex);
        while (used == 0 && taken < ITEMS) pthread_cond_wait(&not_empty, &mutex);
        if (taken == ITEMS) {
            pthread_mutex_unlock(&mutex);
            return NULL;
        }
        came_by((uint64_t)buffer[--used] << 8 | (uintptr_t)number);
        if (++taken == ITEMS) pthread_cond_broadcast(&not_empty);
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&mutex);
    }
}

int main(void) {
    pthread_t threads[4];
    pthread_create(&threads[0], NULL, produce, (void *)1);
    pthread_create(&threads[1], NULL, produce, (void *)2);
    pthread_create(&threads[2], NULL, consume, (void *)3);
    pthread_create(&threads[3], NULL, consume, (void *)4);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    printf("taken %d\n", taken);
    print_order();
    return 0;
}
