// The system calls that Swift's Glibc module does not export.
#ifndef CSOCKETS_H
#define CSOCKETS_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__linux__)

// A ready event as a flat record: Swift cannot import `struct epoll_event` where it is packed.
typedef struct {
    uint64_t token;
    uint32_t events;
} bj_event;

enum {
    BJ_READABLE = 1,
    BJ_WRITABLE = 2,
    BJ_HANGUP = 4,
    // Edge-triggered (EPOLLET).
    BJ_NEWS_ONLY = 4,
    // The peer has finished sending (EPOLLRDHUP).
    BJ_FINISHED = 8,
};

// Each returns the system call's result: -1 with errno set on failure.
int bj_epoll_create(void);
int bj_epoll_add(int epoll, int descriptor, uint32_t interest, uint64_t token);
int bj_epoll_change(int epoll, int descriptor, uint32_t interest, uint64_t token);
int bj_epoll_remove(int epoll, int descriptor);
// Waits for at most `milliseconds`; 0 polls.
int bj_epoll_wait(int epoll, bj_event *events, int capacity, int milliseconds);
// A counter, readable while it is not zero.
int bj_eventfd(void);
// A timer, readable from its deadline until it is read or set again; on the monotonic clock.
int bj_timerfd(void);
// Sets the deadline; a past one is due at once.
int bj_timerfd_set(int timer, uint64_t nanoseconds);
// Whether the deadline has passed; the timer is not readable then.
bool bj_timerfd_take(int timer);
int bj_accept(int listener, void *address, uint32_t *length);

// Processors available to this process; 1 if unknown.
int bj_processors(void);

#endif
#endif
