// The least that a server of tables can cost: one epoll loop which reads lines and writes static bytes. It knows no game and no table
// but the number of it. Beside it, what a measurement needs of Linux that Swift's Glibc module does not show.
#ifndef CFLOOR_H
#define CFLOOR_H

#include <stdint.h>

/// Listens on a free port of 127.0.0.1, tells the port, and serves until the process is ended.
///
/// The first line of a connection is the number of its table, answered with `reply_bytes`. Each further line is answered with
/// `reply_bytes` to the sender and `diff_bytes` to each connection of the table, the sender's together in one write.
/// Returns an error number only when it cannot go on.
int floor_serve(int reply_bytes, int diff_bytes, int most_tables, void (*listening)(int port));

/// Lets this thread, and the processes and threads that it starts, run on one processor (0, 1, …), or on any again (-1).
/// Returns 0, or -1 where that can't be.
int floor_pin(int processor);

/// The processor time that a process has used, all its threads together, in nanoseconds; -1 if it can't be told.
int64_t floor_processor_time(int process);

#endif
