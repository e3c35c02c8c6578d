/* The threads of C11. */
#include "../order.h"
#include <threads.h>

static mtx_t mutex;
static cnd_t changed;
static once_flag flag = ONCE_FLAG_INIT;
static int turn, made;

static void make(void) { made++; }

static int work(void *number) {
    int own = (int)(uintptr_t)number;
    call_once(&flag, make);
    for (int i = 0; i < 100; i++) {
        mtx_lock(&mutex);
        while (turn % 3 == own && i % 10 == 0) {
            struct timespec end;
            timespec_get(&end, TIME_UTC);
            end.tv_nsec = 0;
            end.tv_sec -= 1;
            cnd_timedwait(&changed, &mutex, &end);
            break;
        }
        came_by(own);
        turn++;
        cnd_broadcast(&changed);
        mtx_unlock(&mutex);
        if (mtx_trylock(&mutex) == thrd_success) {
            came_by(10 + own);
            mtx_unlock(&mutex);
        }
        thrd_yield();
    }
    if (own == 2) thrd_exit(7);
    return own;
}

int main(void) {
    thrd_t threads[3];
    int sum = 0;
    mtx_init(&mutex, mtx_timed);
    cnd_init(&changed);
    for (uintptr_t i = 0; i < 3; i++) thrd_create(&threads[i], work, (void *)i);
    for (int i = 0; i < 3; i++) {
        int result;
        thrd_join(threads[i], &result);
        sum += result;
    }
    printf("made %d, sum %d\n", made, sum);
    print_order();
    return 0;
}
