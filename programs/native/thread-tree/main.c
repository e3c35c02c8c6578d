/* Threads that make threads: join, detach, attempts to join, pthread_exit, and destructors of thread-specific values. */
#define _GNU_SOURCE
#include "../order.h"
#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gone = PTHREAD_COND_INITIALIZER;
static pthread_key_t key;
static int detached, destroyed, busy;

static void note(uintptr_t who) {
    pthread_mutex_lock(&mutex);
    came_by(who);
    pthread_mutex_unlock(&mutex);
}

static void destroy(void *value) {
    pthread_mutex_lock(&mutex);
    destroyed++;
    came_by(1000 + (uintptr_t)value);
    pthread_mutex_unlock(&mutex);
}

static void *leaf(void *number) {
    pthread_setspecific(key, number);
    note((uintptr_t)number);
    if ((uintptr_t)number % 2) pthread_exit((void *)((uintptr_t)number * 2));
    return (void *)((uintptr_t)number * 2);
}

static void *loose(void *number) {
    note(500 + (uintptr_t)number);
    pthread_mutex_lock(&mutex);
    detached++;
    pthread_cond_signal(&gone);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *branch(void *number) {
    uintptr_t own = (uintptr_t)number, sum = 0;
    pthread_t leaves[3], free_one;
    for (uintptr_t i = 0; i < 3; i++) pthread_create(&leaves[i], NULL, leaf, (void *)(own * 10 + i));
    pthread_create(&free_one, NULL, loose, (void *)own);
    pthread_detach(free_one);
    for (int i = 0; i < 3; i++) {
        void *result;
        if (i == 1) {
            while (pthread_tryjoin_np(leaves[i], &result) == EBUSY) {
                note(700);
                usleep(50);
            }
        } else if (i == 2) {
            struct timespec end;
            clock_gettime(CLOCK_REALTIME, &end);
            end.tv_sec += 30;
            if (pthread_timedjoin_np(leaves[i], &result, &end)) return NULL;
        } else {
            pthread_join(leaves[i], &result);
        }
        sum += (uintptr_t)result;
    }
    return (void *)sum;
}

int main(void) {
    pthread_t branches[3], free_one;
    pthread_attr_t attributes;
    uintptr_t sum = 0;
    pthread_key_create(&key, destroy);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&free_one, &attributes, loose, (void *)9);
    for (uintptr_t i = 0; i < 3; i++) pthread_create(&branches[i], NULL, branch, (void *)(i + 1));
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(branches[i], &result);
        sum += (uintptr_t)result;
    }
    pthread_mutex_lock(&mutex);
    while (detached < 4) pthread_cond_wait(&gone, &mutex);
    pthread_mutex_unlock(&mutex);
    printf("sum %lu, detached %d, destroyed %d\n", (unsigned long)sum, detached, destroyed);
    print_order();
    return busy;
}
