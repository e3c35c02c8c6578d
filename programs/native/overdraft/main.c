/* Check, then act: two withdrawals may both see enough money. The clean twin is overdraft-locked. */
#include <pthread.h>
#include <stdio.h>

static volatile int balance = 100;
static int paid[2];

static void *withdraw(void *number) {
    for (int i = 0; i < 60; i++) {
        if (balance >= 1) {
            balance = balance - 1;
            paid[(long)number]++;
        }
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, withdraw, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("paid %d, left %d\n", paid[0] + paid[1], balance);
    return paid[0] + paid[1] + balance == 100 ? 0 : 1;
}
