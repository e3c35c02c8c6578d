/* Calls the kernel by instructions of its own, which no library can stand in front of. */
#include "../order.h"
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static long call(long number, long a, long b, long c) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}

static void *work(void *number) {
    for (int i = 0; i < 20; i++) {
        uint64_t random = 0;
        struct timespec now = {0, 0};
        if (call(SYS_getrandom, (long)&random, sizeof random, 0) != sizeof random) return (void *)1;
        if (call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0)) return (void *)1;
        pthread_mutex_lock(&mutex);
        came_by((uintptr_t)number);
        came_by(random);
        came_by((uint64_t)now.tv_nsec);
        came_by((uint64_t)call(SYS_getpid, 0, 0, 0));
        came_by((uint64_t)call(SYS_gettid, 0, 0, 0));
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
