/* The main thread leaves with pthread_exit; the last worker ends the process. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned order = 1;

static void *work(void *number) {
    for (int i = 0; i < 300; i++) {
        pthread_mutex_lock(&mutex);
        order = order * 31 + (unsigned)(long)number;
        pthread_mutex_unlock(&mutex);
    }
    usleep((unsigned)(500 * (long)number));
    pthread_mutex_lock(&mutex);
    printf("%ld %u\n", (long)number, order);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t thread;
    for (long i = 1; i < 4; i++) pthread_create(&thread, NULL, work, (void *)i);
    pthread_exit(NULL);
}
