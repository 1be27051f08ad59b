// The words that this process was started with, without /proc, from which Swift's CommandLine takes them on Linux.
#ifndef CARGUMENTS_H
#define CARGUMENTS_H

// How many there are; 0 where the C library does not hand them to initialisers.
int bj_argument_count(void);
// Null beyond the last.
const char *bj_argument(int index);

#endif
