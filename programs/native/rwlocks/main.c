/* Readers and writers. */
#include "../order.h"
#include <pthread.h>
#include <stdatomic.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static uint64_t value;
static _Atomic uint64_t seen;

static void *write_it(void *number) {
    for (int i = 0; i < 300; i++) {
        pthread_rwlock_wrlock(&lock);
        came_by((uintptr_t)number);
        value++;
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

static void *read_it(void *number) {
    uint64_t sum = 0;
    for (int i = 0; i < 300; i++) {
        pthread_rwlock_rdlock(&lock);
        sum = sum * 31 + value;
        pthread_rwlock_unlock(&lock);
    }
    seen ^= sum + (uintptr_t)number;
    return NULL;
}

int main(void) {
    pthread_t threads[4];
    pthread_create(&threads[0], NULL, write_it, (void *)1);
    pthread_create(&threads[1], NULL, read_it, (void *)2);
    pthread_create(&threads[2], NULL, write_it, (void *)3);
    pthread_create(&threads[3], NULL, read_it, (void *)4);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    printf("value %llu seen %016llx\n", (unsigned long long)value, (unsigned long long)seen);
    print_order();
    return 0;
}
