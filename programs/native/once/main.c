/* Who initialises, and that everybody else waits for it. */
#include "../order.h"
#include <pthread.h>

enum { CONTROLS = 50 };
static pthread_once_t controls[CONTROLS];
static int made[CONTROLS], next;
static __thread uintptr_t own;
static uintptr_t by[CONTROLS];
static pthread_barrier_t together;

static void make(void) {
    int index = next++;
    by[index] = own;
    for (volatile int i = 0; i < 50; i++) continue;
    made[index] = 1;
}

static void *work(void *number) {
    own = (uintptr_t)number;
    pthread_barrier_wait(&together);
    for (int i = 0; i < CONTROLS; i++) {
        pthread_once(&controls[i], make);
        if (!made[i]) return (void *)1;
    }
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    int early = 0;
    pthread_barrier_init(&together, NULL, 3);
    for (int i = 0; i < CONTROLS; i++) controls[i] = PTHREAD_ONCE_INIT;
    for (uintptr_t i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(threads[i], &result);
        early += result != NULL;
    }
    for (int i = 0; i < CONTROLS; i++) came_by(by[i]);
    printf("made %d, too early %d\n", next, early);
    print_order();
    return 0;
}
