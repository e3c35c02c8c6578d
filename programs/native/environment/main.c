/* A variable of the environment, read before main begins and by a thread. A replay has it from the recording. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static const char *at_start, *later;

__attribute__((constructor)) static void begin(void) { at_start = getenv("GIVEN"); }

static void *work(void *unused) {
    later = getenv("GIVEN");
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    printf("at start %s, later %s\n", at_start ? at_start : "nothing", later ? later : "nothing");
    return 0;
}
