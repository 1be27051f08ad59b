// The process's arguments without /proc, which Swift's CommandLine needs on Linux.
#ifndef CARGUMENTS_H
#define CARGUMENTS_H

// 0 where the C library does not pass arguments to initialisers.
int bj_argument_count(void);
// Null past the end.
const char *bj_argument(int index);

// The commit that the program was built from; null if the build did not name it.
const char *bj_commit(void);

#endif
