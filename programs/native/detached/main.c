/* Threads that nobody joins. Where the stack of the next one lies depends on whether the last one is gone. */
#include "../order.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ended;

static void *work(void *number) {
    int here;
    pthread_mutex_lock(&mutex);
    came_by((uintptr_t)number);
    came_by((uintptr_t)&here);
    ended++;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static int may_end;

static void *linger(void *unused) {
    pthread_mutex_lock(&mutex);
    while (!may_end) pthread_cond_wait(&told, &mutex);
    ended++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

/* Whoever wants to join a detached thread is told at once, not when it has ended. */
static int refused(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, linger, NULL);
    pthread_detach(thread);
    int errors = (pthread_join(thread, NULL) == EINVAL) + (pthread_detach(thread) == EINVAL);
    pthread_mutex_lock(&mutex);
    may_end = 1;
    pthread_cond_signal(&told);
    pthread_mutex_unlock(&mutex);
    return errors;
}

int main(void) {
    int all = 0, errors = refused();
    for (uintptr_t i = 0; i < 30; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, (void *)i);
        pthread_detach(thread);
        sched_yield();
    }
    while (all < 31) {
        sched_yield();
        pthread_mutex_lock(&mutex);
        all = ended;
        pthread_mutex_unlock(&mutex);
    }
    printf("%d ended, refused %d\n", all, errors);
    print_order();
    return 0;
}
