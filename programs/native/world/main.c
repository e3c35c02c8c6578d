/* What a program reads from the world: the time, random numbers, its own number, a pipe. */
#define _GNU_SOURCE
#include "../order.h"
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *number) {
    for (int i = 0; i < 20; i++) {
        struct timespec now;
        struct timeval day;
        uint64_t random, entropy;
        clock_gettime(CLOCK_REALTIME, &now);
        gettimeofday(&day, NULL);
        if (getrandom(&random, sizeof random, 0) != sizeof random) return (void *)1;
        if (getentropy(&entropy, sizeof entropy)) return (void *)1;
        usleep(10);
        pthread_mutex_lock(&mutex);
        came_by((uintptr_t)number);
        came_by((uint64_t)now.tv_nsec);
        came_by((uint64_t)day.tv_usec);
        came_by((uint64_t)time(NULL));
        came_by(random);
        came_by(entropy);
        came_by(arc4random());
        came_by((uint64_t)getpid());
        came_by((uint64_t)gettid());
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (uintptr_t i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    print_order();
    return 0;
}
