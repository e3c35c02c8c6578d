/* A worker ends the process while the others go on. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int steps;
static unsigned order = 1;

static void *work(void *number) {
    for (;;) {
        pthread_mutex_lock(&mutex);
        order = order * 31 + (unsigned)(long)number;
        if (++steps >= 500) {
            printf("worker %ld ends it, order %u\n", (long)number, order);
            exit(5);
        }
        pthread_mutex_unlock(&mutex);
    }
}

int main(void) {
    pthread_t threads[3];
    for (long i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    pthread_join(threads[0], NULL);
    return 0;
}
