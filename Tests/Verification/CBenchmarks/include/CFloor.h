// Lower bound for a table server's cost: one epoll loop that reads lines and writes static bytes. Knows no game. Also the Linux
// calls for measurements that Swift's Glibc module does not export.
#ifndef CFLOOR_H
#define CFLOOR_H

#include <stdint.h>

/// Listens on a free port of 127.0.0.1, reports the port, and serves until the process ends.
///
/// The first line of a connection is its table number, answered with `reply_bytes`. Each further line is answered with
/// `reply_bytes` to the sender and `diff_bytes` to each connection of the table, the sender's in one write. Returns an error
/// number on failure only.
int floor_serve(int reply_bytes, int diff_bytes, int most_tables, void (*listening)(int port));

/// Pins this thread, and threads and processes it starts, to one processor (0, 1, …), or unpins it (-1). Returns 0, or -1 on
/// failure.
int floor_pin(int processor);

/// Processor time of a process, all threads, in nanoseconds; -1 if unknown.
int64_t floor_processor_time(int process);

#endif
