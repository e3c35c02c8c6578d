/* Servers and clients in one process: TCP with several clients, datagrams, and a pair of local sockets over which a descriptor is sent. In a replay there is no network. */
#define _GNU_SOURCE
#include "../order.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CLIENTS = 3, ROUNDS = 10 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct sockaddr_in server_address, datagram_address;
static int listener, datagrams;

static void need(int what, const char *name) {
    if (what) return;
    perror(name);
    exit(1);
}

static struct sockaddr_in bind_somewhere(int socket) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    need(bind(socket, (struct sockaddr *)&address, sizeof address) == 0, "bind");
    memset(&address, 0, sizeof address);
    need(getsockname(socket, (struct sockaddr *)&address, &length) == 0, "getsockname");
    need(address.sin_family == AF_INET && address.sin_port != 0, "address");
    return address;
}

static void note(uint64_t what) {
    pthread_mutex_lock(&mutex);
    came_by(what);
    pthread_mutex_unlock(&mutex);
}

static void *client(void *number) {
    uintptr_t own = (uintptr_t)number;
    int connection = socket(AF_INET, SOCK_STREAM, 0), domain = 0;
    socklen_t length = sizeof domain;
    need(connect(connection, (struct sockaddr *)&server_address, sizeof server_address) == 0, "connect");
    need(getsockopt(connection, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 && domain == AF_INET, "getsockopt");
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t question[2] = {(uint32_t)own, i}, answer = 0;
        struct iovec pieces[2] = {{&question[0], 4}, {&question[1], 4}};
        struct msghdr message = {.msg_iov = pieces, .msg_iovlen = 2};
        if (i % 2) need(writev(connection, pieces, 2) == 8, "writev");
        else need(sendmsg(connection, &message, 0) == 8, "sendmsg");
        need(recv(connection, &answer, sizeof answer, MSG_WAITALL) == 4, "recv");
        note(answer);
        if (own == 1) {
            need(sendto(datagrams, &answer, 4, 0, (struct sockaddr *)&datagram_address, sizeof datagram_address) == 4, "sendto");
        }
    }
    close(connection);
    return NULL;
}

static void *serve(void *connection_number) {
    int connection = (int)(intptr_t)connection_number;
    struct sockaddr_in peer;
    socklen_t length = sizeof peer;
    memset(&peer, 0, sizeof peer);
    need(getpeername(connection, (struct sockaddr *)&peer, &length) == 0, "getpeername");
    note(peer.sin_port);
    for (;;) {
        uint32_t question[2], answer;
        struct iovec pieces[2] = {{&question[0], 4}, {&question[1], 4}};
        int waiting = 0;
        char first;
        if (recv(connection, &first, 1, MSG_PEEK) == 0) break;
        need(ioctl(connection, FIONREAD, &waiting) == 0 && waiting == 8, "ioctl");
        need(readv(connection, pieces, 2) == 8, "readv");
        pthread_mutex_lock(&mutex);
        came_by(question[0]);
        answer = (uint32_t)order;
        pthread_mutex_unlock(&mutex);
        need(send(connection, &answer, 4, MSG_NOSIGNAL) == 4, "send");
    }
    shutdown(connection, SHUT_RDWR);
    close(connection);
    return NULL;
}

static void *listen_for_datagrams(void *unused) {
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t what = 0;
        struct sockaddr_in from;
        socklen_t length = sizeof from;
        memset(&from, 0, sizeof from);
        need(recvfrom(datagrams, &what, 4, 0, (struct sockaddr *)&from, &length) == 4, "recvfrom");
        note(what ^ from.sin_port);
    }
    return unused;
}

/* Sends one end of a pipe through a local socket. */
static void pass_on(void) {
    int pair[2], ends[2], got;
    char byte = 'x', control[CMSG_SPACE(sizeof(int))] = {0};
    need(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, "socketpair");
    need(pipe(ends) == 0, "pipe");
    struct iovec piece = {&byte, 1};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &ends[0], sizeof(int));
    need(sendmsg(pair[0], &message, 0) == 1, "sendmsg");
    byte = 0;
    memset(control, 0, sizeof control);
    need(recvmsg(pair[1], &message, 0) == 1 && byte == 'x', "recvmsg");
    memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
    need(write(ends[1], "y", 1) == 1, "write");
    need(read(got, &byte, 1) == 1 && byte == 'y', "read");
    note((uint64_t)got);
}

int main(void) {
    pthread_t clients[CLIENTS], servers[CLIENTS], other;
    int yes = 1;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    need(setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0, "setsockopt");
    server_address = bind_somewhere(listener);
    need(listen(listener, 8) == 0, "listen");
    datagrams = socket(AF_INET, SOCK_DGRAM, 0);
    datagram_address = bind_somewhere(datagrams);
    pthread_create(&other, NULL, listen_for_datagrams, NULL);
    for (uintptr_t i = 0; i < CLIENTS; i++) pthread_create(&clients[i], NULL, client, (void *)(i + 1));
    for (int i = 0; i < CLIENTS; i++) {
        struct sockaddr_in peer;
        socklen_t length = sizeof peer;
        memset(&peer, 0, sizeof peer);
        int connection = i % 2 ? accept(listener, (struct sockaddr *)&peer, &length) : accept4(listener, (struct sockaddr *)&peer, &length, SOCK_CLOEXEC);
        need(connection >= 0 && peer.sin_family == AF_INET, "accept");
        note(peer.sin_port);
        pthread_create(&servers[i], NULL, serve, (void *)(intptr_t)connection);
    }
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(clients[i], NULL);
        pthread_join(servers[i], NULL);
    }
    pthread_join(other, NULL);
    pass_on();
    print_order();
    return 0;
}
