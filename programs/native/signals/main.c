/* Signals: a timer interrupts threads wherever they are, one thread signals another that waits, a process signals itself, a call is interrupted, another goes on, and one
 * thread waits for signals that all others block. What a handler sees of its thread's work goes into the result. */
#define _GNU_SOURCE
#include "../order.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];
static _Thread_local volatile uint64_t round_of, seen, arrivals;
static volatile sig_atomic_t interrupted, caught, restarted;
static uint64_t value_caught;

static void on_alarm(int signal) {
    (void)signal;
    seen = seen * 31 + round_of;
    arrivals++;
}

static volatile int told, heard;

/* Hears what was said before the signal was sent. */
static void on_first(int signal) {
    interrupted += signal == SIGUSR1;
    heard = told;
}

static void on_second(int signal, siginfo_t *information, void *context) {
    (void)context;
    caught += signal == SIGUSR2;
    value_caught = (uint64_t)information->si_pid;
}

static void on_restart(int signal) {
    (void)signal;
    restarted = 1;
    if (write(ends[1], "r", 1) != 1) abort();
}

static void handle(int signal, void (*handler)(int), int flags) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    if (sigaction(signal, &action, NULL)) abort();
}

static void *count(void *number) {
    for (round_of = 0; round_of < 4000; round_of++) {
        pthread_mutex_lock(&mutex);
        came_by((uintptr_t)number);
        pthread_mutex_unlock(&mutex);
    }
    pthread_mutex_lock(&mutex);
    came_by(seen);
    came_by(arrivals);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

/* For so long that whoever need not wait for us is far ahead. */
static void think(void) {
    for (volatile int i = 0; i < 20000000; i++) continue;
}

static void *wait_for_one(void *unused) {
    sigset_t none;
    sigfillset(&none);
    sigdelset(&none, SIGUSR1);
    sigdelset(&none, SIGRTMAX - 18); /* ours, if we are recorded */
    while (!interrupted) sigsuspend(&none);
    return unused;
}

static void *read_one(void *unused) {
    char byte = 0;
    /* Goes on after the handler, which writes what it waits for. */
    if (read(ends[0], &byte, 1) != 1 || byte != 'r') puts("not restarted");
    return unused;
}

static void *await_one(void *unused) {
    sigset_t set;
    int found = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    if (sigwait(&set, &found) || found != SIGHUP) puts("another signal");
    return unused;
}

int main(void) {
    pthread_t threads[5];
    sigset_t set, old;
    if (pipe(ends)) abort();
    handle(SIGALRM, on_alarm, SA_RESTART);
    handle(SIGUSR1, on_first, 0);
    handle(SIGRTMIN + 2, on_restart, SA_RESTART);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_second;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGUSR2, &action, NULL);

    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, &old);
    pthread_create(&threads[3], NULL, await_one, NULL);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&threads[2], NULL, wait_for_one, NULL);
    pthread_create(&threads[4], NULL, read_one, NULL);
    sigaddset(&old, SIGHUP);
    pthread_sigmask(SIG_SETMASK, &old, NULL);

    struct itimerval often = {{0, 700}, {0, 700}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &often, NULL);
    for (uintptr_t i = 0; i < 2; i++) pthread_create(&threads[i], NULL, count, (void *)(i + 1));
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    setitimer(ITIMER_REAL, &never, NULL);

    raise(SIGUSR2);
    int at_once = caught == 1 && value_caught == (uint64_t)getpid();
    usleep(3000);
    pthread_kill(threads[4], SIGRTMIN + 2);
    pthread_join(threads[4], NULL);
    think();
    told = 42;
    pthread_kill(threads[2], SIGUSR1);
    pthread_join(threads[2], NULL);
    kill(getpid(), SIGHUP);
    pthread_join(threads[3], NULL);

    /* A sleep that a signal ends. */
    struct itimerval soon = {{0, 0}, {0, 2000}};
    struct timespec long_time = {20, 0};
    setitimer(ITIMER_REAL, &soon, NULL);
    int result = nanosleep(&long_time, NULL);
    printf("%d %d caught %d %d interrupted %d heard %d restarted %d\n", result, result ? errno : 0, (int)caught, at_once, (int)interrupted, heard, (int)restarted);
    came_by(seen);
    print_order();
    return 0;
}
