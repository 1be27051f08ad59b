#ifndef ALLOCATION_COUNT_H
#define ALLOCATION_COUNT_H

/// Calls of malloc in this process; 0 where not counted (only Linux with glibc counts).
unsigned long allocation_count(void);

#endif
