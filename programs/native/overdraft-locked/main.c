/* Check, then act, under a lock. The buggy twin is overdraft. */
#include "../order.h"
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;
static int paid[2];

static void *withdraw(void *number) {
    for (int i = 0; i < 60; i++) {
        pthread_mutex_lock(&mutex);
        if (balance >= 1) {
            balance = balance - 1;
            paid[(long)number]++;
            came_by((uintptr_t)number);
        }
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, withdraw, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("paid %d, left %d\n", paid[0] + paid[1], balance);
    print_order();
    return 0;
}
