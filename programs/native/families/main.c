/* Processes: forked while other threads run, with threads of their own, replaced by another program, spawned; they tell their parent random numbers through pipes. */
#define _GNU_SOURCE
#include "../order.h"
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *number) {
    for (int i = 0; i < 150; i++) {
        pthread_mutex_lock(&mutex);
        came_by((uintptr_t)number);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

static uint64_t chance(void) {
    uint64_t random = 0;
    struct timespec now;
    if (getrandom(&random, sizeof random, 0) != sizeof random) abort();
    clock_gettime(CLOCK_MONOTONIC, &now);
    return random ^ (uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 32;
}

static void tell(int end, uint64_t what) {
    if (write(end, &what, sizeof what) != sizeof what) abort();
}

/* A child that was forked: threads of its own, and a child of its own. */
static void child(int end, uintptr_t number) {
    pthread_t threads[2];
    pthread_mutex_init(&mutex, NULL);
    order = number;
    for (uintptr_t i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, (void *)(i + 10));
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    came_by(chance());
    int status = 0;
    pid_t grandchild = fork();
    if (grandchild == 0) {
        tell(end, chance());
        _exit((int)(chance() % 50));
    }
    if (waitpid(grandchild, &status, 0) != grandchild) abort();
    came_by((uint64_t)WEXITSTATUS(status));
    tell(end, order);
    _exit(3);
}

/* Another program: this one, with an argument. */
static int other(int end) {
    const char *given = getenv("GIVEN");
    tell(end, chance() + (given ? (uint64_t)atoi(given) : 0));
    return 4;
}

static uint64_t hear(int end) {
    uint64_t heard = 0;
    ssize_t count = read(end, &heard, sizeof heard);
    return count == sizeof heard ? heard : (uint64_t)count;
}

int main(int count, char **arguments) {
    if (count > 1) return other(atoi(arguments[1]));
    pthread_t threads[2];
    pid_t children[4];
    int ends[2], statuses[4] = {0}, failed;
    char number[12], *again[] = {arguments[0], number, NULL}, *bare[] = {"GIVEN=7", NULL};
    for (uintptr_t i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    if (pipe(ends)) abort();
    snprintf(number, sizeof number, "%d", ends[1]);
    children[0] = fork();
    if (children[0] == 0) child(ends[1], 20);
    children[1] = fork();
    if (children[1] == 0) child(ends[1], 30);
    children[2] = fork();
    if (children[2] == 0) {
        failed = execv("/nowhere", again);
        if (failed == -1) execve("/proc/self/exe", again, bare);
        _exit(9);
    }
    if (posix_spawn(&children[3], "/proc/self/exe", NULL, NULL, again, environ)) abort();
    uint64_t sum = 0;
    for (int i = 0; i < 6; i++) sum = sum * 31 + hear(ends[0]);
    for (int i = 0; i < 4; i++) {
        if (waitpid(children[i], &statuses[i], 0) != children[i]) abort();
    }
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("%d %d %d %d\n", WEXITSTATUS(statuses[0]), WEXITSTATUS(statuses[1]), WEXITSTATUS(statuses[2]), WEXITSTATUS(statuses[3]));
    came_by(sum);
    print_order();
    return 0;
}
