/* Attempts and waits with a limit, whose outcomes depend on when others hold what is wanted; who of several initialises; and waiters that are woken all at once. */
#define _GNU_SOURCE
#include "../order.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 40, KINDS = 13 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;
static pthread_once_t once_flags[ROUNDS];
static once_flag c11_flags[ROUNDS];
static uint64_t who[2 * ROUNDS];
static _Thread_local uint64_t own;
static _Thread_local int round_of;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static mtx_t c11_mutex;
static cnd_t c11_opened;
static int is_open, c11_is_open;

static struct timespec in_a_moment(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_nsec += 20000;
    if (time.tv_nsec >= 1000000000) time.tv_sec++, time.tv_nsec -= 1000000000;
    return time;
}

static int attempt(int kind) {
    struct timespec real = in_a_moment(CLOCK_REALTIME), steady = in_a_moment(CLOCK_MONOTONIC);
    int result, value = 0;
    switch (kind) {
    case 0: result = pthread_mutex_trylock(&mutex); break;
    case 1: result = pthread_mutex_timedlock(&mutex, &real); break;
    case 2: result = pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &steady); break;
    case 3: result = pthread_rwlock_tryrdlock(&rwlock); break;
    case 4: result = pthread_rwlock_trywrlock(&rwlock); break;
    case 5: result = pthread_rwlock_timedrdlock(&rwlock, &real); break;
    case 6: result = pthread_rwlock_timedwrlock(&rwlock, &real); break;
    case 7: result = pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &steady); break;
    case 8: result = pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &steady); break;
    case 9: result = sem_trywait(&semaphore) ? errno : 0; break;
    case 10: result = sem_timedwait(&semaphore, &real) ? errno : 0; break;
    case 11: result = sem_clockwait(&semaphore, CLOCK_MONOTONIC, &steady) ? errno : 0; break;
    default: result = pthread_spin_trylock(&spin); break;
    }
    sem_getvalue(&semaphore, &value);
    if (result == 0) {
        if (kind <= 2) pthread_mutex_unlock(&mutex);
        else if (kind <= 8) pthread_rwlock_unlock(&rwlock);
        else if (kind <= 11) sem_post(&semaphore);
        else pthread_spin_unlock(&spin);
    }
    return result * 16 + value;
}

static void initialise(void) { who[round_of] = own; }
static void initialise_c11(void) { who[ROUNDS + round_of] = own; }

static void wait_until_open(void) {
    pthread_mutex_lock(&gate);
    while (!is_open) pthread_cond_wait(&opened, &gate);
    pthread_mutex_unlock(&gate);
    mtx_lock(&c11_mutex);
    while (!c11_is_open) cnd_wait(&c11_opened, &c11_mutex);
    mtx_unlock(&c11_mutex);
}

static void *probe(void *number) {
    uint64_t seen = 0;
    own = (uintptr_t)number;
    wait_until_open();
    for (round_of = 0; round_of < ROUNDS; round_of++) {
        pthread_once(&once_flags[round_of], initialise);
        call_once(&c11_flags[round_of], initialise_c11);
        for (int kind = 0; kind < KINDS; kind++) seen = seen * 31 + (uint64_t)attempt(kind);
    }
    pthread_mutex_lock(&gate);
    came_by(own);
    came_by(seen);
    pthread_mutex_unlock(&gate);
    return NULL;
}

/* Holds everything now and then. */
static void *hold(void *unused) {
    wait_until_open();
    for (int i = 0; i < 2 * ROUNDS; i++) {
        pthread_mutex_lock(&mutex);
        pthread_rwlock_wrlock(&rwlock);
        pthread_spin_lock(&spin);
        sem_wait(&semaphore);
        usleep(100);
        sem_post(&semaphore);
        pthread_spin_unlock(&spin);
        pthread_rwlock_unlock(&rwlock);
        pthread_mutex_unlock(&mutex);
        usleep(30);
    }
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_spin_init(&spin, 0);
    sem_init(&semaphore, 0, 1);
    mtx_init(&c11_mutex, mtx_plain);
    cnd_init(&c11_opened);
    for (int i = 0; i < ROUNDS; i++) once_flags[i] = PTHREAD_ONCE_INIT;
    for (uintptr_t i = 0; i < 2; i++) pthread_create(&threads[i], NULL, probe, (void *)(i + 1));
    pthread_create(&threads[2], NULL, hold, NULL);
    usleep(2000);
    pthread_mutex_lock(&gate);
    is_open = 1;
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&gate);
    usleep(2000);
    mtx_lock(&c11_mutex);
    c11_is_open = 1;
    cnd_broadcast(&c11_opened);
    mtx_unlock(&c11_mutex);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 2 * ROUNDS; i++) came_by(who[i]);
    print_order();
    return 0;
}
