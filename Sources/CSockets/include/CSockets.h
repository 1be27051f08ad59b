// The system calls that Swift's Glibc module does not show, and nothing else.
#ifndef CSOCKETS_H
#define CSOCKETS_H

#include <stdint.h>

#if defined(__linux__)

// What became ready, as one flat record: `struct epoll_event` is packed on some machines, which Swift cannot import.
typedef struct {
    uint64_t token;
    uint32_t events;
} bj_event;

enum {
    BJ_READABLE = 1,
    BJ_WRITABLE = 2,
    BJ_HANGUP = 4,
    // What becomes ready is told once, not again and again while it stays so.
    BJ_NEWS_ONLY = 4,
    // Nothing comes after what can be read now.
    BJ_FINISHED = 8,
};

// Each returns what the system call returns: -1 with errno set on failure.
int bj_epoll_create(void);
int bj_epoll_add(int epoll, int descriptor, uint32_t interest, uint64_t token);
int bj_epoll_change(int epoll, int descriptor, uint32_t interest, uint64_t token);
int bj_epoll_remove(int epoll, int descriptor);
// Waits for at most so many milliseconds; 0 only looks.
int bj_epoll_wait(int epoll, bj_event *events, int capacity, int milliseconds);
// A counter that is ready to be read as soon as somebody has added to it.
int bj_eventfd(void);
int bj_accept(int listener, void *address, uint32_t *length);

// How many processors this process may run on; 1 if the system doesn't say.
int bj_processors(void);

#endif
#endif
