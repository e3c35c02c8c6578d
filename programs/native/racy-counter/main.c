/* Four threads increment a counter without a lock: updates are lost. Its clean twin is locked-counter. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int counter;
static int rounds = 100000;

static void *work(void *unused) {
    for (int i = 0; i < rounds; i++) {
        int seen = counter;
        counter = seen + 1;
    }
    return unused;
}

int main(int count, char **arguments) {
    pthread_t threads[4];
    if (count > 1) rounds = atoi(arguments[1]);
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    /* The addresses show that a replay has the same memory. */
    void *heap = malloc(100);
    printf("%d heap %p stack %p\n", counter, heap, (void *)threads);
    return 0;
}
