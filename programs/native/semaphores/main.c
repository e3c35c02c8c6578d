/* Two permits for four threads, and a semaphore as a lock. */
#include "../order.h"
#include <pthread.h>
#include <semaphore.h>

static sem_t permits, lock;
static int inside, most;

static void *work(void *number) {
    for (int i = 0; i < 200; i++) {
        sem_wait(&permits);
        sem_wait(&lock);
        if (++inside > most) most = inside;
        came_by((uintptr_t)number);
        sem_post(&lock);
        sem_wait(&lock);
        inside--;
        came_by(10 + (uintptr_t)number);
        sem_post(&lock);
        sem_post(&permits);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[4];
    int left;
    sem_init(&permits, 0, 2);
    sem_init(&lock, 0, 1);
    for (uintptr_t i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    sem_getvalue(&permits, &left);
    printf("at most two inside: %s, left %d\n", most <= 2 ? "yes" : "no", left);
    print_order();
    return 0;
}
