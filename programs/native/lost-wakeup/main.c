/* A thread waits for a signal without asking whether it has come already. The clean twin is kept-wakeup. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static volatile int work_done;

static void *tell(void *unused) {
    for (int i = 0; i < 300; i++) work_done++;
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec end;
    pthread_create(&thread, NULL, tell, NULL);
    for (volatile int i = 0; i < 300; i++) continue;
    pthread_mutex_lock(&mutex);
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += 50000000;
    if (end.tv_nsec >= 1000000000) end.tv_sec++, end.tv_nsec -= 1000000000;
    int result = pthread_cond_timedwait(&ready, &mutex, &end);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    puts(result ? "the signal was lost" : "the signal came");
    return result ? 1 : 0;
}
