/* Threads that sleep for half a minute, each by another function, until a signal ends that. What was left of the time goes into the result. */
#define _GNU_SOURCE
#include "../order.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SLEEPERS = 4, LONG = 30 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int awake[SLEEPERS], interrupted;

static void ignore(int signal) { (void)signal; }

static void *work(void *number) {
    struct timespec time = {LONG, 0}, rest = {0, 0};
    int early = 0;
    switch ((uintptr_t)number) {
    case 0: early = nanosleep(&time, &rest) == -1 && errno == EINTR; break;
    case 1: early = clock_nanosleep(CLOCK_MONOTONIC, 0, &time, &rest) == EINTR; break;
    case 2: early = usleep(LONG * 1000000) == -1 && errno == EINTR; break;
    case 3: early = (rest.tv_sec = sleep(LONG)) > 0; break;
    }
    pthread_mutex_lock(&mutex);
    came_by((uintptr_t)number);
    came_by((uint64_t)rest.tv_sec);
    came_by((uint64_t)rest.tv_nsec);
    awake[(uintptr_t)number] = 1;
    interrupted += early;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t threads[SLEEPERS];
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = ignore;
    sigaction(SIGUSR1, &action, NULL);
    for (uintptr_t i = 0; i < SLEEPERS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    /* A signal that comes before its thread sleeps is no use, so they are sent until all are awake. */
    for (int rounds = 0, sleeping = SLEEPERS; sleeping; rounds++) {
        struct timespec moment = {0, 2000000};
        nanosleep(&moment, NULL);
        sleeping = 0;
        for (int i = 0; i < SLEEPERS; i++) {
            pthread_mutex_lock(&mutex);
            int asleep = !awake[i];
            pthread_mutex_unlock(&mutex);
            if (asleep) pthread_kill(threads[i], SIGUSR1);
            sleeping += asleep;
        }
    }
    for (int i = 0; i < SLEEPERS; i++) pthread_join(threads[i], NULL);
    printf("ended by signals %d\n", interrupted);
    print_order();
    return 0;
}
