/* Threads that talk through a pipe and an event counter: poll, select, epoll, read and write that wait. */
#include "../order.h"
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <unistd.h>

enum { MESSAGES = 60 };
static int ends[2], counter;
static uint64_t shared[3][MESSAGES], sum;

static void *produce(void *number) {
    uintptr_t own = (uintptr_t)number;
    for (uint64_t i = 0; i < MESSAGES; i++) {
        uint64_t message = own << 32 | i, one = 1;
        /* Whoever has read the message may read this. */
        shared[own][i] = message * 3;
        if (write(ends[1], &message, sizeof message) != sizeof message) abort();
        if (write(counter, &one, sizeof one) != sizeof one) abort();
        if (i % 8 == own) usleep(100);
    }
    return NULL;
}

static void *count(void *unused) {
    int set = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN}, found;
    epoll_ctl(set, EPOLL_CTL_ADD, counter, &event);
    while (sum < 2 * MESSAGES) {
        uint64_t more = 0;
        if (epoll_wait(set, &found, 1, -1) != 1) abort();
        if (read(counter, &more, sizeof more) != sizeof more) abort();
        sum += more;
    }
    close(set);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    if (pipe(ends)) abort();
    counter = eventfd(0, 0);
    pthread_create(&threads[0], NULL, produce, (void *)1);
    pthread_create(&threads[1], NULL, produce, (void *)2);
    pthread_create(&threads[2], NULL, count, NULL);
    for (int i = 0; i < 2 * MESSAGES; i++) {
        uint64_t message;
        if (i % 2) {
            struct pollfd waited = {.fd = ends[0], .events = POLLIN};
            if (poll(&waited, 1, -1) != 1) abort();
        } else {
            fd_set set;
            FD_ZERO(&set);
            FD_SET(ends[0], &set);
            if (select(ends[0] + 1, &set, NULL, NULL, NULL) != 1 || !FD_ISSET(ends[0], &set)) abort();
        }
        if (read(ends[0], &message, sizeof message) != sizeof message) abort();
        if (shared[message >> 32][message & 0xffff] != message * 3) puts("read too early");
        came_by(message);
    }
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    printf("counted %llu\n", (unsigned long long)sum);
    print_order();
    return 0;
}
