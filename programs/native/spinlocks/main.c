/* Spin locks. */
#include "../order.h"
#include <pthread.h>

static pthread_spinlock_t lock;

static void *work(void *number) {
    for (int i = 0; i < 1000; i++) {
        if (i % 3 || pthread_spin_trylock(&lock)) pthread_spin_lock(&lock);
        came_by((uintptr_t)number);
        pthread_spin_unlock(&lock);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    for (uintptr_t i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    print_order();
    return 0;
}
