#ifndef ALLOCATION_COUNT_H
#define ALLOCATION_COUNT_H

/// How often this process has called malloc, or 0 where that is not counted (everywhere but on Linux with glibc).
unsigned long allocation_count(void);

#endif
