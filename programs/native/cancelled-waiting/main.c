/* Threads that are cancelled while they wait: for a condition, a semaphore, bytes, a time, another thread, a signal; and one that does not want to be, for a while. */
#define _GNU_SOURCE
#include "../order.h"
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 7, WAITED_FOR = 0 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t empty;
static int ends[2], cleaned, kept, asked;
static pthread_t threads[THREADS];

static void clean(void *number) {
    /* A thread that waited for a condition has its mutex again. */
    if ((uintptr_t)number == 0) pthread_mutex_unlock(&other);
    pthread_mutex_lock(&mutex);
    cleaned++;
    came_by((uintptr_t)number);
    pthread_mutex_unlock(&mutex);
}

static int is_asked(void) {
    pthread_mutex_lock(&mutex);
    int now = asked;
    pthread_mutex_unlock(&mutex);
    return now;
}

static void wait_for_ever(uintptr_t number) {
    char byte;
    struct timespec time = {60, 0};
    struct pollfd ready = {ends[0], POLLIN, 0};
    int old;
    switch (number) {
    case 0:
        pthread_mutex_lock(&other);
        for (;;) pthread_cond_wait(&never, &other);
    case 1: sem_wait(&empty); break;
    case 2: if (read(ends[0], &byte, 1) == 1) puts("a byte"); break;
    case 3: nanosleep(&time, NULL); break;
    case 4: pthread_join(threads[WAITED_FOR], NULL); break;
    case 5: poll(&ready, 1, 60000); break;
    case 6:
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
        time.tv_sec = 0;
        time.tv_nsec = 1000000;
        while (!is_asked()) nanosleep(&time, NULL);
        kept = 1;
        pthread_setcancelstate(old, NULL);
        pthread_testcancel();
        break;
    }
}

static void *work(void *number) {
    pthread_cleanup_push(clean, number);
    wait_for_ever((uintptr_t)number);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void) {
    int cancelled = 0;
    if (pipe(ends) || sem_init(&empty, 0, 0)) return 1;
    for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    usleep(2000);
    for (int i = THREADS - 1; i >= 0; i--) {
        if (i != WAITED_FOR) pthread_cancel(threads[i]);
    }
    pthread_mutex_lock(&mutex);
    asked = 1;
    pthread_mutex_unlock(&mutex);
    for (int i = THREADS - 1; i >= 0; i--) {
        void *result = NULL;
        if (i == WAITED_FOR) pthread_cancel(threads[i]);
        pthread_join(threads[i], &result);
        cancelled += result == PTHREAD_CANCELED;
    }
    printf("cancelled %d, cleaned %d, kept %d\n", cancelled, cleaned, kept);
    print_order();
    return 0;
}
