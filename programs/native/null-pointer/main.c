/* A pointer that is empty for a moment: whoever uses it then crashes, and so does the replay. */
#include <pthread.h>
#include <stdio.h>

static int value;
static int *volatile pointer = &value;

static void *change(void *unused) {
    for (int i = 0; i < 40; i++) {
        pointer = NULL;
        pointer = &value;
    }
    return unused;
}

static void *use(void *unused) {
    volatile int sum = 0;
    for (int i = 0; i < 40; i++) sum += *pointer;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    puts("begin");
    fflush(stdout);
    pthread_create(&threads[0], NULL, change, NULL);
    pthread_create(&threads[1], NULL, use, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    puts("survived");
    return 0;
}
