#include "CArguments.h"

// Also defines __GLIBC__.
#include <stdlib.h>

static int count;
static char **words;

#if defined(__linux__) && defined(__GLIBC__)
// glibc calls initialisers with main's arguments.
__attribute__((constructor)) static void keep(int argc, char **argv) {
    count = argc;
    words = argv;
}
#endif

int bj_argument_count(void) { return count; }

const char *bj_argument(int index) { return index >= 0 && index < count ? words[index] : NULL; }

#ifdef BJ_COMMIT
const char *bj_commit(void) { return BJ_COMMIT; }
#else
const char *bj_commit(void) { return NULL; }
#endif
