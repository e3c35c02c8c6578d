/* Reads the processor's clock, by both instructions, and has a handler for faults of its own. */
#include "../order.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <x86intrin.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sigjmp_buf after;

static void on_fault(int signal) { siglongjmp(after, signal); }

static void *work(void *number) {
    for (int i = 0; i < 20; i++) {
        unsigned processor = 0;
        uint64_t one = __rdtsc(), two = __rdtscp(&processor);
        if (two < one) puts("backwards");
        pthread_mutex_lock(&mutex);
        came_by((uintptr_t)number);
        came_by(one);
        came_by(two);
        came_by(processor);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_fault;
    action.sa_flags = SA_NODEFER;
    sigaction(SIGSEGV, &action, NULL);
    volatile int *volatile nowhere = NULL;
    if (sigsetjmp(after, 1) == 0) *nowhere = 1;
    else puts("caught");
    for (uintptr_t i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    print_order();
    return 0;
}
