// Interposes malloc for every library in the process, the Swift runtime included, and counts calls.

#include "allocation_count.h"
#include <stdlib.h>

static unsigned long count;

unsigned long allocation_count(void) { return __atomic_load_n(&count, __ATOMIC_RELAXED); }

#ifdef __GLIBC__
extern void *__libc_malloc(size_t);

void *malloc(size_t size) {
    __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    return __libc_malloc(size);
}
#endif
