/* Two threads with loops, calls and branches and no call of libc: for counting blocks. */
#include <pthread.h>
#include <stdio.h>

static int collatz(unsigned number) {
    int steps = 0;
    while (number != 1) {
        if (number % 2) number = 3 * number + 1;
        else number /= 2;
        steps++;
    }
    return steps;
}

static int results[2];

static void *work(void *number) {
    int own = (int)(long)number;
    for (int i = 1; i < 8; i++) {
        switch (i % 3) {
        case 0: results[own] += collatz(i); break;
        case 1: results[own] ^= i; break;
        default: results[own] += own && i > 4; break;
        }
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("%d %d\n", results[0], results[1]);
    return 0;
}
