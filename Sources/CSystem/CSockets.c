#define _GNU_SOURCE
#include "CSockets.h"

#if defined(__linux__)
#include <errno.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

static uint32_t to_epoll(uint32_t interest) {
    return (interest & BJ_READABLE ? EPOLLIN | EPOLLRDHUP : 0u) | (interest & BJ_WRITABLE ? EPOLLOUT : 0u)
        | (interest & BJ_NEWS_ONLY ? (uint32_t)EPOLLET : 0u);
}

int bj_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int bj_epoll_add(int epoll, int descriptor, uint32_t interest, uint64_t token) {
    struct epoll_event event = {.events = to_epoll(interest), .data.u64 = token};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

int bj_epoll_change(int epoll, int descriptor, uint32_t interest, uint64_t token) {
    struct epoll_event event = {.events = to_epoll(interest), .data.u64 = token};
    return epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event);
}

int bj_epoll_remove(int epoll, int descriptor) {
    struct epoll_event unused = {0};
    return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &unused);
}

int bj_epoll_wait(int epoll, bj_event *events, int capacity, int milliseconds) {
    enum { BATCH = 256 };
    struct epoll_event batch[BATCH];
    int count = epoll_wait(epoll, batch, capacity < BATCH ? capacity : BATCH, milliseconds);
    for (int i = 0; i < count; i++) {
        uint32_t ready = batch[i].events;
        events[i].token = batch[i].data.u64;
        events[i].events = (ready & (EPOLLIN | EPOLLRDHUP) ? BJ_READABLE : 0u) | (ready & EPOLLOUT ? BJ_WRITABLE : 0u)
            | (ready & (EPOLLHUP | EPOLLERR) ? BJ_HANGUP : 0u) | (ready & EPOLLRDHUP ? BJ_FINISHED : 0u);
    }
    return count;
}

int bj_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

int bj_timerfd(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC); }

int bj_timerfd_set(int timer, uint64_t nanoseconds) {
    // Zero would disarm it.
    uint64_t due = nanoseconds > 0 ? nanoseconds : 1;
    struct itimerspec deadline = {.it_value = {.tv_sec = (time_t)(due / 1000000000), .tv_nsec = (long)(due % 1000000000)}};
    return timerfd_settime(timer, TFD_TIMER_ABSTIME, &deadline, 0);
}

bool bj_timerfd_take(int timer) {
    uint64_t expirations;
    return read(timer, &expirations, sizeof expirations) == sizeof expirations;
}

int bj_accept(int listener, void *address, uint32_t *length) {
    return accept4(listener, (struct sockaddr *)address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int bj_processors(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}
#else
// An empty translation unit is an error in strict C.
typedef int bj_unused;
#endif
