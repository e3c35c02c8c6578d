/* Rounds that all threads begin together; one of them is told that it is the last. */
#include "../order.h"
#include <pthread.h>

static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int round_of[3], wrong;

static void *work(void *number) {
    uintptr_t own = (uintptr_t)number;
    for (int i = 0; i < 100; i++) {
        round_of[own] = i;
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) came_by(own);
        for (int other = 0; other < 3; other++)
            if (round_of[other] != i) wrong++;
        pthread_barrier_wait(&barrier);
        pthread_mutex_lock(&mutex);
        came_by(10 + own);
        pthread_mutex_unlock(&mutex);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    pthread_barrier_init(&barrier, NULL, 3);
    for (uintptr_t i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    printf("wrong %d\n", wrong);
    print_order();
    return 0;
}
