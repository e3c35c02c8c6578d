/* Two threads read, then write, a counter once: the smallest lost update. For experiments in gdb. */
#include <pthread.h>
#include <stdio.h>

static volatile int counter;

__attribute__((noinline)) static void between(void) { __asm__ volatile(""); }

static void *work(void *unused) {
    int seen = counter;
    between();
    counter = seen + 1;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("%d\n", counter);
    return 0;
}
