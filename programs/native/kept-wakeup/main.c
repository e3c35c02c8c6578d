/* A thread asks whether the signal has come already, and only then waits. The buggy twin is lost-wakeup. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int is_ready, waits;

static void *tell(void *unused) {
    pthread_mutex_lock(&mutex);
    is_ready = 1;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, tell, NULL);
    pthread_mutex_lock(&mutex);
    while (!is_ready) {
        waits++;
        pthread_cond_wait(&ready, &mutex);
    }
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    printf("came, after %d waits\n", waits);
    return 0;
}
