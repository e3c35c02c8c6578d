/* Every attempt that may fail: try, timed and clock variants of mutexes, read-write locks and semaphores. */
#define _GNU_SOURCE
#include "../order.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, log_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static pthread_barrier_t together;

static struct timespec soon(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_nsec += 200000;
    if (time.tv_nsec >= 1000000000) time.tv_sec++, time.tv_nsec -= 1000000000;
    return time;
}

static void note(uintptr_t who, int what, int result) {
    pthread_mutex_lock(&log_lock);
    came_by(who << 16 | (uint64_t)what << 8 | (result != 0));
    pthread_mutex_unlock(&log_lock);
}

static void hold(void) {
    for (volatile int i = 0; i < 200; i++) continue;
}

static void *work(void *number) {
    uintptr_t own = (uintptr_t)number;
    pthread_barrier_wait(&together);
    for (int i = 0; i < 40; i++) {
        struct timespec real = soon(CLOCK_REALTIME), steady = soon(CLOCK_MONOTONIC);
        int r;
        r = pthread_mutex_trylock(&mutex);
        if (!r) hold(), pthread_mutex_unlock(&mutex);
        note(own, 1, r);
        r = pthread_mutex_timedlock(&mutex, &real);
        if (!r) hold(), pthread_mutex_unlock(&mutex);
        note(own, 2, r);
        r = pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &steady);
        if (!r) hold(), pthread_mutex_unlock(&mutex);
        note(own, 3, r);
        r = pthread_rwlock_tryrdlock(&rwlock);
        if (!r) hold(), pthread_rwlock_unlock(&rwlock);
        note(own, 4, r);
        r = pthread_rwlock_trywrlock(&rwlock);
        if (!r) hold(), pthread_rwlock_unlock(&rwlock);
        note(own, 5, r);
        real = soon(CLOCK_REALTIME), steady = soon(CLOCK_MONOTONIC);
        r = pthread_rwlock_timedrdlock(&rwlock, &real);
        if (!r) hold(), pthread_rwlock_unlock(&rwlock);
        note(own, 6, r);
        r = pthread_rwlock_timedwrlock(&rwlock, &real);
        if (!r) hold(), pthread_rwlock_unlock(&rwlock);
        note(own, 7, r);
        r = pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &steady);
        if (!r) hold(), pthread_rwlock_unlock(&rwlock);
        note(own, 8, r);
        r = pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &steady);
        if (!r) hold(), pthread_rwlock_unlock(&rwlock);
        note(own, 9, r);
        real = soon(CLOCK_REALTIME), steady = soon(CLOCK_MONOTONIC);
        r = sem_trywait(&semaphore);
        if (!r) hold(), sem_post(&semaphore);
        note(own, 10, r);
        r = sem_timedwait(&semaphore, &real);
        if (!r) hold(), sem_post(&semaphore);
        note(own, 11, r);
        r = sem_clockwait(&semaphore, CLOCK_MONOTONIC, &steady);
        if (!r) hold(), sem_post(&semaphore);
        note(own, 12, r);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    sem_init(&semaphore, 0, 1);
    pthread_barrier_init(&together, NULL, 3);
    for (uintptr_t i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    print_order();
    return 0;
}
