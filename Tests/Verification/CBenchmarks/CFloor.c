#define _GNU_SOURCE
#include "CFloor.h"

#if defined(__linux__)
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { SEATS = 7, BATCH = 256, READ = 64 * 1024 };

typedef struct {
    int descriptor;
    int table;  // -1 until the first line
} peer;

typedef struct {
    peer *peers[SEATS];
    int count;
} table;

static int open_listener(int *port) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 1024) != 0
        || getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        return -1;
    *port = ntohs(address.sin_port);
    return listener;
}

static int accept_all(int epoll, int listener) {
    for (;;) {
        int descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (descriptor < 0) return errno == EAGAIN || errno == EINTR || errno == ECONNABORTED ? 0 : errno;
        int one = 1;
        setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        peer *it = malloc(sizeof *it);
        if (!it) return ENOMEM;
        *it = (peer){.descriptor = descriptor, .table = -1};
        struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data.ptr = it};
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) != 0) return errno;
    }
}

static int take_seat(peer *it, table *tables, int most_tables, const char *line) {
    int number = atoi(line);
    if (number < 0 || number >= most_tables || tables[number].count == SEATS) return EINVAL;
    it->table = number;
    tables[number].peers[tables[number].count++] = it;
    return 0;
}

static void leave(peer *it, table *tables) {
    if (it->table >= 0) {
        table *at = &tables[it->table];
        for (int i = 0; i < at->count; i++) {
            if (at->peers[i] == it) at->peers[i] = at->peers[--at->count];
        }
    }
    close(it->descriptor);
    free(it);
}

// A partial write is an error: it would falsify the figures, and the peers read continuously.
static int write_whole(const peer *it, const char *bytes, int count) {
    ssize_t written = send(it->descriptor, bytes, (size_t)count, MSG_NOSIGNAL);
    if (written == count || (written < 0 && (errno == EPIPE || errno == ECONNRESET))) return 0;
    return written < 0 ? errno : ENOBUFS;
}

int floor_serve(int reply_bytes, int diff_bytes, int most_tables, void (*listening)(int port)) {
    int port = 0, listener = open_listener(&port), epoll = epoll_create1(EPOLL_CLOEXEC);
    if (listener < 0 || epoll < 0) return errno;
    struct epoll_event listening_event = {.events = EPOLLIN, .data.ptr = NULL};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &listening_event) != 0) return errno;
    table *tables = calloc((size_t)most_tables, sizeof *tables);
    // The sender reads a reply and a diff in one write, the others a diff alone.
    char *bytes = malloc((size_t)(reply_bytes + diff_bytes)), *buffer = malloc(READ + 1);
    if (!tables || !bytes || !buffer) return ENOMEM;
    memset(bytes, '-', (size_t)(reply_bytes + diff_bytes));
    bytes[reply_bytes - 1] = bytes[reply_bytes + diff_bytes - 1] = '\n';
    listening(port);
    for (;;) {
        struct epoll_event events[BATCH];
        int count = epoll_wait(epoll, events, BATCH, -1), failure = 0;
        for (int i = 0; i < count; i++) {
            peer *it = events[i].data.ptr;
            if (!it) {
                if ((failure = accept_all(epoll, listener)) != 0) return failure;
                continue;
            }
            ssize_t read = recv(it->descriptor, buffer, READ, 0);
            if (read <= 0) {
                if (read == 0 || (errno != EAGAIN && errno != EINTR)) leave(it, tables);
                continue;
            }
            buffer[read] = 0;
            for (char *line = buffer, *end; (end = memchr(line, '\n', (size_t)(buffer + read - line))); line = end + 1) {
                if (it->table < 0) {
                    if ((failure = take_seat(it, tables, most_tables, line)) != 0) return failure;
                    if ((failure = write_whole(it, bytes, reply_bytes)) != 0) return failure;
                    continue;
                }
                const table *at = &tables[it->table];
                for (int seat = 0; seat < at->count; seat++) {
                    const peer *to = at->peers[seat];
                    failure = to == it ? write_whole(to, bytes, reply_bytes + diff_bytes)
                                       : write_whole(to, bytes + reply_bytes, diff_bytes);
                    if (failure != 0) return failure;
                }
            }
        }
    }
}

int floor_pin(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (processor < 0 || i == processor) CPU_SET(i, &set);
    }
    return sched_setaffinity(0, sizeof set, &set);
}

int64_t floor_processor_time(int process) {
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return -1;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}
#else
int floor_serve(int reply_bytes, int diff_bytes, int most_tables, void (*listening)(int port)) { return 78; }
int floor_pin(int processor) { return -1; }
int64_t floor_processor_time(int process) { return -1; }
#endif
