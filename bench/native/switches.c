/* Two threads that yield to each other as often as it says: what a switch costs. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static int rounds;

static void *work(void *unused) {
    for (int i = 0; i < rounds; i++) sched_yield();
    return unused;
}

int main(int count, char **arguments) {
    pthread_t threads[2];
    rounds = count > 1 ? atoi(arguments[1]) : 100000;
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
