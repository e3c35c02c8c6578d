/* Threads that nobody joins. Where the stack of the next one lies depends on whether the last one is gone. */
#include "../order.h"
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

int main(void) {
    int all = 0;
    for (uintptr_t i = 0; i < 30; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, (void *)i);
        pthread_detach(thread);
        sched_yield();
    }
    while (all < 30) {
        sched_yield();
        pthread_mutex_lock(&mutex);
        all = ended;
        pthread_mutex_unlock(&mutex);
    }
    printf("%d ended\n", all);
    print_order();
    return 0;
}
