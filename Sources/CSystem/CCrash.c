// Reports a trap on standard error: the signal, its address and those of the callers. A stripped static program can do that alone, also in
// an empty image, where Swift's own backtracer lacks libraries. addr2line names the addresses with the symbols that .ci/static leaves.
// Runs before main, and leaves a signal that has a handler (sanitizers, Swift's backtracer) as it is. With SWIFT_BACKTRACE
// Swift's backtracer has the signals, unless it is turned off.
#define _GNU_SOURCE
#include <stdlib.h>

#if defined(__linux__) && defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

extern const ElfW(Ehdr) __executable_start;
static const int signals[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
enum { signal_count = sizeof signals / sizeof *signals, most_frames = 64, largest_frame = 1 << 20 };

static void print(const char *text) {
    if (write(STDERR_FILENO, text, strlen(text)) < 0) return;
}

// As the linker had it: a position-independent program's is relative to its start.
static void print_address(uintptr_t address) {
    char text[sizeof " 0x" + 2 * sizeof address], *end = text + sizeof text - 1;
    if (__executable_start.e_type == ET_DYN) address -= (uintptr_t)&__executable_start;
    *end = 0;
    do *--end = "0123456789abcdef"[address & 15];
    while (address >>= 4);
    *--end = 'x', *--end = '0', *--end = ' ';
    print(end);
}

// Async-signal-safe. Frames are read from the stack by their pointers, so the damaged stack of a wild write may end it early.
static void report(int number, siginfo_t *info, void *context) {
    (void)info;
    for (int i = 0; i < signal_count; i++) signal(signals[i], SIG_DFL);
    const mcontext_t *registers = &((const ucontext_t *)context)->uc_mcontext;
#if defined(__x86_64__)
    uintptr_t at = (uintptr_t)registers->gregs[REG_RIP], frame = (uintptr_t)registers->gregs[REG_RBP];
#else
    uintptr_t at = registers->pc, frame = registers->regs[29];
#endif
    char name[] = "00";
    name[0] += (char)(number / 10), name[1] += (char)(number % 10);
    print("\ncrashed: signal ");
    print(name[0] == '0' ? name + 1 : name);
    print(", addresses");
    print_address(at);
    for (int i = 0; i < most_frames && frame && frame % sizeof frame == 0; i++) {
        const uintptr_t *pair = (const uintptr_t *)frame;
        if (pair[1] == 0) break;
        print_address(pair[1]);
        if (pair[0] <= frame || pair[0] - frame > largest_frame) break;
        frame = pair[0];
    }
    print("\n");
    // Delivered when the handler returns.
    raise(number);
}

__attribute__((constructor)) static void report_traps(void) {
    const char *wish = getenv("SWIFT_BACKTRACE");
    if (wish && *wish && !strstr(wish, "enable=no")) return;
    for (int i = 0; i < signal_count; i++) {
        struct sigaction former, action = {.sa_sigaction = report, .sa_flags = SA_SIGINFO | SA_ONSTACK};
        if (sigaction(signals[i], NULL, &former) == 0 && !(former.sa_flags & SA_SIGINFO) && former.sa_handler == SIG_DFL)
            sigaction(signals[i], &action, NULL);
    }
}
#endif

#if defined(__unix__) || defined(__APPLE__)
#include <errno.h>
#include <signal.h>
#include <unistd.h>

static void terminate(int number) {
    (void)number;
    int code = errno;
    kill(getpid(), SIGTERM);
    errno = code;
}

// SIGQUIT (Ctrl-\) ends a program as SIGTERM does. It is no crash, which Swift's backtracer takes it for: that stops all threads for seconds,
// also those of a server. Where the parent ignores it, it stays ignored.
__attribute__((constructor)) static void terminate_on_quit(void) {
    struct sigaction former, action = {.sa_handler = terminate, .sa_flags = SA_RESTART | SA_ONSTACK};
    if (sigaction(SIGQUIT, NULL, &former) == 0 && former.sa_handler != SIG_IGN) sigaction(SIGQUIT, &action, NULL);
}
#endif
