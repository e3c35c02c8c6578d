/* Waits for a condition that may time out, on either clock; errors of mutexes that check. */
#define _GNU_SOURCE
#include "../order.h"
#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, checked;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER, steady;
static int stop;

static void *poke(void *unused) {
    for (int i = 0; i < 40; i++) {
        usleep(100);
        pthread_mutex_lock(&mutex);
        came_by(100);
        pthread_cond_signal(i % 2 ? &condition : &steady);
        pthread_mutex_unlock(&mutex);
    }
    pthread_mutex_lock(&mutex);
    stop = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *wait_for(void *number) {
    for (int i = 0;; i++) {
        struct timespec end;
        int result;
        pthread_mutex_lock(&mutex);
        if (stop) {
            pthread_mutex_unlock(&mutex);
            return NULL;
        }
        clock_gettime(i % 3 == 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC, &end);
        end.tv_nsec += 150000;
        if (end.tv_nsec >= 1000000000) end.tv_sec++, end.tv_nsec -= 1000000000;
        if (i % 3 == 0) result = pthread_cond_timedwait(&condition, &mutex, &end);
        else if (i % 3 == 1) result = pthread_cond_timedwait(&steady, &mutex, &end);
        else result = pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &end);
        came_by((uintptr_t)number << 8 | (result == ETIMEDOUT));
        pthread_mutex_unlock(&mutex);
    }
}

int main(void) {
    pthread_t threads[3];
    pthread_condattr_t attributes;
    pthread_mutexattr_t kind;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&steady, &attributes);
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checked, &kind);
    int first = pthread_mutex_lock(&checked), second = pthread_mutex_lock(&checked);
    pthread_create(&threads[0], NULL, poke, NULL);
    pthread_create(&threads[1], NULL, wait_for, (void *)1);
    pthread_create(&threads[2], NULL, wait_for, (void *)2);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    printf("locked %d, again %s\n", first, second == EDEADLK ? "EDEADLK" : "?");
    print_order();
    return 0;
}
