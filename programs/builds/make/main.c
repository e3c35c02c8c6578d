#include "entries.h"
#include <pthread.h>
#include <stdio.h>

static void *work(void *who) {
    for (int i = 0; i < 2000; i++) enter((int)(long)who);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    for (long i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    printf("order %016lx\n", order());
    return 0;
}
