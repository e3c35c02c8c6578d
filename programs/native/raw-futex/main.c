/* A lock made of a futex and atomics, by hand. */
#define _GNU_SOURCE
#include "../order.h"
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic int word; /* 0 free, 1 taken, 2 taken and somebody waits */

static void lock(void) {
    int free_one = 0;
    if (atomic_compare_exchange_strong(&word, &free_one, 1)) return;
    while (atomic_exchange(&word, 2) != 0) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void unlock(void) {
    if (atomic_exchange(&word, 0) == 2) syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *work(void *number) {
    for (int i = 0; i < 1000; i++) {
        lock();
        came_by((uintptr_t)number);
        unlock();
    }
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    for (uintptr_t i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    print_order();
    return 0;
}
