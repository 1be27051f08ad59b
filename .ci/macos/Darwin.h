// Declarations of Apple's public headers (XNU, Libc, libpthread), as far as the sources use them: types, nullability and values as there.
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
typedef int8_t i8; typedef uint16_t mode_t; typedef uint16_t nlink_t; typedef int32_t dev_t; typedef uint64_t ino_t; typedef int64_t off_t;
typedef uint32_t uid_t; typedef uint32_t gid_t; typedef int32_t pid_t; typedef long ssize_t; typedef long time_t; typedef int32_t suseconds_t;
typedef uint32_t socklen_t; typedef uint8_t sa_family_t; typedef uint32_t in_addr_t; typedef uint16_t in_port_t; typedef uint64_t rlim_t;
typedef int64_t blkcnt_t; typedef int32_t blksize_t; typedef unsigned long tcflag_t; typedef unsigned long speed_t; typedef unsigned char cc_t;
typedef uint32_t sigset_t; typedef unsigned int nfds_t; typedef int clockid_e;
typedef uint64_t fsblkcnt_t;
struct timespec { time_t tv_sec; long tv_nsec; };
struct timeval { time_t tv_sec; suseconds_t tv_usec; };
struct stat { dev_t st_dev; mode_t st_mode; nlink_t st_nlink; ino_t st_ino; uid_t st_uid; gid_t st_gid; dev_t st_rdev;
  struct timespec st_atimespec, st_mtimespec, st_ctimespec, st_birthtimespec; off_t st_size; blkcnt_t st_blocks; blksize_t st_blksize;
  uint32_t st_flags, st_gen; int32_t st_lspare; int64_t st_qspare[2]; };
int stat(const char *, struct stat *); int lstat(const char *, struct stat *); int fstat(int, struct stat *);
int fstatat(int, const char *, struct stat *, int);
struct sockaddr { uint8_t sa_len; sa_family_t sa_family; char sa_data[14]; };
struct sockaddr_storage { uint8_t ss_len; sa_family_t ss_family; char __ss_pad1[6]; int64_t __ss_align; char __ss_pad2[112]; };
struct in_addr { in_addr_t s_addr; };
struct sockaddr_in { uint8_t sin_len; sa_family_t sin_family; in_port_t sin_port; struct in_addr sin_addr; char sin_zero[8]; };
struct in6_addr { union { uint8_t __u6_addr8[16]; uint16_t __u6_addr16[8]; uint32_t __u6_addr32[4]; } __u6_addr; };
struct sockaddr_in6 { uint8_t sin6_len; sa_family_t sin6_family; in_port_t sin6_port; uint32_t sin6_flowinfo; struct in6_addr sin6_addr; uint32_t sin6_scope_id; };
struct sockaddr_un { unsigned char sun_len; sa_family_t sun_family; char sun_path[104]; };
struct addrinfo { int ai_flags, ai_family, ai_socktype, ai_protocol; socklen_t ai_addrlen; char *ai_canonname; struct sockaddr *ai_addr; struct addrinfo *ai_next; };
struct linger { int l_onoff, l_linger; };
struct rlimit { rlim_t rlim_cur, rlim_max; };
struct rusage { struct timeval ru_utime, ru_stime; long ru_maxrss, ru_ixrss, ru_idrss, ru_isrss, ru_minflt, ru_majflt, ru_nswap, ru_inblock, ru_oublock, ru_msgsnd, ru_msgrcv, ru_nsignals, ru_nvcsw, ru_nivcsw; };
struct winsize { unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel; };
struct termios { tcflag_t c_iflag, c_oflag, c_cflag, c_lflag; cc_t c_cc[20]; speed_t c_ispeed, c_ospeed; };
struct pollfd { int fd; short events, revents; };
struct passwd { char *pw_name, *pw_passwd; uid_t pw_uid; gid_t pw_gid; time_t pw_change; char *pw_class, *pw_gecos, *pw_dir, *pw_shell; time_t pw_expire; };
struct iovec { void *iov_base; size_t iov_len; };
struct utsname { char sysname[256], nodename[256], release[256], version[256], machine[256]; };
struct tm { int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst; long tm_gmtoff; char *tm_zone; };
struct statvfs { unsigned long f_bsize, f_frsize; unsigned int f_blocks, f_bfree, f_bavail; unsigned int f_files, f_ffree, f_favail; unsigned long f_fsid, f_flag, f_namemax; };
struct dirent { uint64_t d_ino, d_seekoff; uint16_t d_reclen, d_namlen; uint8_t d_type; char d_name[1024]; };
typedef struct _dirdesc DIR; struct _dirdesc { int dd_fd; };
struct ifaddrs { struct ifaddrs *ifa_next; char *ifa_name; unsigned int ifa_flags; struct sockaddr *ifa_addr, *ifa_netmask, *ifa_dstaddr; void *ifa_data; };
DIR *_Nullable opendir(const char *); DIR *_Nullable fdopendir(int); struct dirent *_Nullable readdir(DIR *); int closedir(DIR *); int dirfd(DIR *); void rewinddir(DIR *);
int getifaddrs(struct ifaddrs *_Nullable *); void freeifaddrs(struct ifaddrs *);
typedef void (*sig_t)(int);
struct __siginfo; 
union __sigaction_u { void (*__sa_handler)(int); void (*__sa_sigaction)(int, struct __siginfo *, void *); };
struct sigaction { union __sigaction_u __sigaction_u; sigset_t sa_mask; int sa_flags; };
int sigaction(int, const struct sigaction *, struct sigaction *);
struct _opaque_pthread_t { long __sig; void *__cleanup_stack; char __opaque[8176]; };
struct _opaque_pthread_attr_t { long __sig; char __opaque[56]; };
struct _opaque_pthread_mutex_t { long __sig; char __opaque[56]; };
struct _opaque_pthread_cond_t { long __sig; char __opaque[40]; };
struct _opaque_pthread_condattr_t { long __sig; char __opaque[8]; };
struct _opaque_pthread_mutexattr_t { long __sig; char __opaque[8]; };
typedef struct _opaque_pthread_t *pthread_t; typedef struct _opaque_pthread_attr_t pthread_attr_t; typedef struct _opaque_pthread_mutex_t pthread_mutex_t;
typedef struct _opaque_pthread_cond_t pthread_cond_t; typedef struct _opaque_pthread_condattr_t pthread_condattr_t; typedef struct _opaque_pthread_mutexattr_t pthread_mutexattr_t;
int pthread_create(pthread_t _Nullable *, const pthread_attr_t *_Nullable, void *_Nullable (*_Nonnull)(void *_Nonnull), void *_Nullable);
int pthread_attr_init(pthread_attr_t *); int pthread_attr_destroy(pthread_attr_t *); int pthread_attr_setdetachstate(pthread_attr_t *, int); int pthread_attr_setstacksize(pthread_attr_t *, size_t);
int pthread_join(pthread_t, void *_Nullable *_Nullable); int pthread_setname_np(const char *); pthread_t pthread_self(void);
int pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *_Nullable); int pthread_mutex_lock(pthread_mutex_t *); int pthread_mutex_unlock(pthread_mutex_t *); int pthread_mutex_destroy(pthread_mutex_t *);
int pthread_cond_init(pthread_cond_t *, const pthread_condattr_t *_Nullable); int pthread_cond_destroy(pthread_cond_t *); int pthread_cond_signal(pthread_cond_t *); int pthread_cond_broadcast(pthread_cond_t *);
int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *); int pthread_cond_timedwait(pthread_cond_t *, pthread_mutex_t *, const struct timespec *_Nullable);
int pthread_cond_timedwait_relative_np(pthread_cond_t *, pthread_mutex_t *, const struct timespec *_Nullable);
int pthread_sigmask(int, const sigset_t *, sigset_t *); int sigemptyset(sigset_t *); int sigaddset(sigset_t *, int);
#define PTHREAD_CREATE_DETACHED 2
typedef enum { _CLOCK_REALTIME = 0, _CLOCK_MONOTONIC = 6, _CLOCK_MONOTONIC_RAW = 4, _CLOCK_UPTIME_RAW = 8, _CLOCK_PROCESS_CPUTIME_ID = 12, _CLOCK_THREAD_CPUTIME_ID = 16 } clockid_t;
int clock_gettime(clockid_t, struct timespec *); uint64_t clock_gettime_nsec_np(clockid_t); int gettimeofday(struct timeval *, void *_Nullable);
int nanosleep(const struct timespec *, struct timespec *_Nullable); unsigned sleep(unsigned); int usleep(unsigned);
time_t time(time_t *_Nullable); struct tm *gmtime_r(const time_t *, struct tm *); struct tm *localtime_r(const time_t *, struct tm *); time_t timegm(struct tm *);
int socket(int, int, int); int socketpair(int, int, int, int *); int bind(int, const struct sockaddr *, socklen_t); int connect(int, const struct sockaddr *, socklen_t); int listen(int, int);
int accept(int, struct sockaddr *_Nullable, socklen_t *_Nullable); ssize_t send(int, const void *, size_t, int); ssize_t recv(int, void *, size_t, int); int shutdown(int, int);
int setsockopt(int, int, int, const void *, socklen_t); int getsockopt(int, int, int, void *_Nullable, socklen_t *_Nullable);
int getsockname(int, struct sockaddr *_Nullable, socklen_t *_Nullable); int getpeername(int, struct sockaddr *_Nullable, socklen_t *_Nullable);
int getaddrinfo(const char *_Nullable, const char *_Nullable, const struct addrinfo *_Nullable, struct addrinfo *_Nullable *_Nullable); void freeaddrinfo(struct addrinfo *); const char *gai_strerror(int);
int getnameinfo(const struct sockaddr *, socklen_t, char *_Nullable, socklen_t, char *_Nullable, socklen_t, int);
const char *inet_ntop(int, const void *, char *, socklen_t); int inet_pton(int, const char *, void *);
ssize_t read(int, void *, size_t); ssize_t write(int, const void *, size_t); ssize_t pread(int, void *, size_t, off_t); ssize_t pwrite(int, const void *, size_t, off_t); ssize_t writev(int, const struct iovec *, int);
int close(int); int dup(int); int dup2(int, int); int pipe(int *); int fsync(int); int ftruncate(int, off_t); off_t lseek(int, off_t, int); int unlink(const char *); int unlinkat(int, const char *, int); int rename(const char *, const char *);
int renameat(int, const char *, int, const char *); int linkat(int, const char *, int, const char *, int); int link(const char *, const char *); int mkdir(const char *, mode_t); int rmdir(const char *); int chmod(const char *, mode_t); int fchmod(int, mode_t); mode_t umask(mode_t); int access(const char *, int); int isatty(int);
int flock(int, int); char *_Nullable realpath(const char *, char *_Nullable); char *_Nullable getcwd(char *_Nullable, size_t); int chdir(const char *);
char *mkdtemp(char *); int mkstemp(char *); int symlink(const char *, const char *); ssize_t readlink(const char *, char *, size_t);
pid_t getpid(void); pid_t getppid(void); uid_t getuid(void); uid_t geteuid(void); int kill(pid_t, int); int raise(int); pid_t waitpid(pid_t, int *, int); pid_t setsid(void); pid_t getpgrp(void); pid_t tcgetpgrp(int);
void _exit(int) __attribute__((noreturn)); void exit(int) __attribute__((noreturn)); void abort(void) __attribute__((noreturn)); int atexit(void (*)(void));
char *_Nullable getenv(const char *); int setenv(const char *, const char *, int); int unsetenv(const char *); long sysconf(int); int gethostname(char *, size_t);
char *strerror(int); size_t strlen(const char *); void *memcpy(void *, const void *, size_t); void *memmove(void *, const void *, size_t); void *memset(void *, int, size_t); int memcmp(const void *, const void *, size_t); void *_Nullable memchr(const void *, int, size_t); int strcmp(const char *, const char *);
void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *_Nullable, size_t); void free(void *_Nullable); char *strdup(const char *);
int poll(struct pollfd *, nfds_t, int); int getrusage(int, struct rusage *); int getrlimit(int, struct rlimit *); int setrlimit(int, const struct rlimit *);
int tcgetattr(int, struct termios *); int tcsetattr(int, int, const struct termios *); void cfmakeraw(struct termios *); int tcflush(int, int); int tcdrain(int);
int uname(struct utsname *); int statvfs(const char *, struct statvfs *); int fstatvfs(int, struct statvfs *);
struct passwd *_Nullable getpwuid(uid_t); struct passwd *_Nullable getpwnam(const char *);
void arc4random_buf(void *, size_t); uint32_t arc4random(void); int getentropy(void *, size_t);
double log(double); double exp(double); double pow(double, double); double sqrt(double); double floor(double); double ceil(double); double log2(double); double log10(double); double fabs(double); double round(double); double erf(double); double cos(double); double sin(double);
int posix_openpt(int); int grantpt(int); int unlockpt(int); char *_Nullable ptsname(int);
sig_t _Nullable signal(int, sig_t _Nullable);
typedef unsigned int mach_port_t; typedef unsigned int natural_t; typedef int integer_t; typedef int kern_return_t; typedef natural_t mach_msg_type_number_t; typedef natural_t task_flavor_t; typedef integer_t *task_info_t; typedef uint64_t mach_vm_size_t;
struct time_value { integer_t seconds, microseconds; }; typedef struct time_value time_value_t;
struct mach_task_basic_info { mach_vm_size_t virtual_size, resident_size, resident_size_max; time_value_t user_time, system_time; int policy; integer_t suspend_count; }; typedef struct mach_task_basic_info mach_task_basic_info_data_t;
extern mach_port_t mach_task_self_; kern_return_t task_info(mach_port_t, task_flavor_t, task_info_t, mach_msg_type_number_t *);
#define MACH_TASK_BASIC_INFO 20
#define KERN_SUCCESS 0
#define AF_UNSPEC 0
#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 30
#define SOCK_STREAM 1
#define SOL_SOCKET 0xffff
#define SO_ACCEPTCONN 0x0002
#define SO_REUSEADDR 0x0004
#define SO_KEEPALIVE 0x0008
#define SO_LINGER 0x0080
#define SO_SNDBUF 0x1001
#define SO_RCVBUF 0x1002
#define SO_RCVTIMEO 0x1006
#define SO_SNDTIMEO 0x1005
#define SO_ERROR 0x1007
#define SO_TYPE 0x1008
#define SO_NOSIGPIPE 0x1022
#define SO_REUSEPORT 0x0200
#define IPPROTO_TCP 6
#define IPPROTO_IPV6 41
#define IPV6_V6ONLY 27
#define TCP_NODELAY 0x01
#define TCP_KEEPALIVE 0x10
#define TCP_KEEPINTVL 0x101
#define TCP_KEEPCNT 0x102
#define TCP_NOTSENT_LOWAT 0x201
#define SHUT_RD 0
#define SHUT_WR 1
#define SHUT_RDWR 2
#define SOMAXCONN 128
#define MSG_DONTWAIT 0x80
#define MSG_PEEK 0x2
#define AI_PASSIVE 1
#define AI_NUMERICHOST 4
#define AI_NUMERICSERV 0x1000
#define AI_ADDRCONFIG 0x400
#define EAI_NONAME 8
#define EAI_SYSTEM 11
#define EAI_AGAIN 2
#define NI_NUMERICHOST 2
#define NI_MAXHOST 1025
#define IFF_UP 1
#define IFF_LOOPBACK 8
#define INET6_ADDRSTRLEN 46
#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#define O_NONBLOCK 4
#define O_APPEND 8
#define O_NOFOLLOW 0x100
#define O_CREAT 0x200
#define O_TRUNC 0x400
#define O_EXCL 0x800
#define O_NOCTTY 0x20000
#define O_DIRECTORY 0x100000
#define O_CLOEXEC 0x1000000
#define F_GETFD 1
#define F_SETFD 2
#define F_GETFL 3
#define F_SETFL 4
#define F_FULLFSYNC 51
#define F_PREALLOCATE 42
#define F_ALLOCATECONTIG 2
#define F_ALLOCATEALL 4
#define F_PEOFPOSMODE 3
#define F_DUPFD_CLOEXEC 67
#define FD_CLOEXEC 1
typedef struct fstore { unsigned int fst_flags; int fst_posmode; off_t fst_offset, fst_length, fst_bytesalloc; } fstore_t;
#define LOCK_SH 1
#define LOCK_EX 2
#define LOCK_NB 4
#define LOCK_UN 8
#define SEEK_SET 0
#define SEEK_END 2
#define R_OK 4
#define W_OK 2
#define X_OK 1
#define F_OK 0
#define AT_FDCWD -2
#define AT_SYMLINK_NOFOLLOW 0x20
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define EBADF 9
#define ECHILD 10
#define ENOMEM 12
#define EACCES 13
#define EEXIST 17
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define ENFILE 23
#define EMFILE 24
#define ENOTTY 25
#define EFBIG 27
#define ENOSPC 28
#define EROFS 30
#define EPIPE 32
#define EAGAIN 35
#define EWOULDBLOCK EAGAIN
#define EINPROGRESS 36
#define EALREADY 37
#define ENOTSOCK 38
#define EPROTOTYPE 41
#define ENOTSUP 45
#define EADDRINUSE 48
#define EADDRNOTAVAIL 49
#define ENETDOWN 50
#define ENETUNREACH 51
#define ECONNABORTED 53
#define ECONNRESET 54
#define ENOBUFS 55
#define EISCONN 56
#define ENOTCONN 57
#define ETIMEDOUT 60
#define ECONNREFUSED 61
#define ELOOP 62
#define ENAMETOOLONG 63
#define EHOSTDOWN 64
#define EHOSTUNREACH 65
#define ENOTEMPTY 66
#define EDQUOT 69
#define EOVERFLOW 84
#define ECANCELED 89
#define EPROTO 100
#define EOPNOTSUPP 102
#define RLIMIT_NOFILE 8
#define RLIMIT_CPU 0
#define RLIMIT_FSIZE 1
#define OPEN_MAX 10240
#define RUSAGE_SELF 0
#define RUSAGE_CHILDREN -1
#define _SC_PAGESIZE 29
#define _SC_NPROCESSORS_ONLN 58
#define _SC_OPEN_MAX 5
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGFPE 8
#define SIGKILL 9
#define SIGBUS 10
#define SIGSEGV 11
#define SIGSYS 12
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIGSTOP 17
#define SIGTSTP 18
#define SIGCONT 19
#define SIGTTIN 21
#define SIGTTOU 22
#define SIGXCPU 24
#define SIGXFSZ 25
#define SIGVTALRM 26
#define SIGPROF 27
#define SIGWINCH 28
#define SIGUSR1 30
#define SIGUSR2 31
#define SA_ONSTACK 1
#define SA_RESTART 2
#define SIG_BLOCK 1
#define SIG_UNBLOCK 2
#define SIG_SETMASK 3
#define WNOHANG 1
#define TCSANOW 0
#define TCSADRAIN 1
#define TCSAFLUSH 2
#define TCIFLUSH 1
#define IGNBRK 0x1
#define BRKINT 0x2
#define PARMRK 0x8
#define ISTRIP 0x20
#define INLCR 0x40
#define IGNCR 0x80
#define ICRNL 0x100
#define IXON 0x200
#define INPCK 0x10
#define OPOST 0x1
#define ONLCR 0x2
#define CSIZE 0x300
#define CS8 0x300
#define PARENB 0x1000
#define ECHO 0x8
#define ECHONL 0x10
#define ISIG 0x80
#define ICANON 0x100
#define IEXTEN 0x400
#define VMIN 16
#define VTIME 17
#define POLLIN 1
#define POLLOUT 4
#define POLLERR 8
#define POLLHUP 16
#define POLLNVAL 32
#define PATH_MAX 1024
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define NI_MAXSERV 32
#define NI_NUMERICSERV 8
#define EAFNOSUPPORT 47
#define SOCK_DGRAM 2
ssize_t sendto(int, const void *, size_t, int, const struct sockaddr *_Nullable, socklen_t);
typedef void *posix_spawn_file_actions_t; typedef void *posix_spawnattr_t;
int posix_spawn_file_actions_init(posix_spawn_file_actions_t _Nullable *_Nonnull); int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t _Nullable *_Nonnull);
int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t _Nullable *_Nonnull, int, int); int posix_spawn_file_actions_addclose(posix_spawn_file_actions_t _Nullable *_Nonnull, int);
int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t _Nullable *_Nonnull, int, const char *_Nonnull, int, mode_t);
int posix_spawnattr_init(posix_spawnattr_t _Nullable *_Nonnull); int posix_spawnattr_destroy(posix_spawnattr_t _Nullable *_Nonnull);
int posix_spawnattr_setflags(posix_spawnattr_t _Nullable *_Nonnull, short); int posix_spawnattr_setpgroup(posix_spawnattr_t _Nullable *_Nonnull, pid_t);
int posix_spawnattr_setsigdefault(posix_spawnattr_t _Nullable *_Nonnull, const sigset_t *); int posix_spawnattr_setsigmask(posix_spawnattr_t _Nullable *_Nonnull, const sigset_t *);
int posix_spawn(pid_t *_Nullable, const char *_Nonnull, const posix_spawn_file_actions_t _Nullable *_Nullable, const posix_spawnattr_t _Nullable *_Nullable, char *_Nullable const *_Nonnull, char *_Nullable const *_Nullable);
int posix_spawnp(pid_t *_Nullable, const char *_Nonnull, const posix_spawn_file_actions_t _Nullable *_Nullable, const posix_spawnattr_t _Nullable *_Nullable, char *_Nullable const *_Nonnull, char *_Nullable const *_Nullable);
#define POSIX_SPAWN_RESETIDS 0x0001
#define POSIX_SPAWN_SETPGROUP 0x0002
#define POSIX_SPAWN_SETSIGDEF 0x0004
#define POSIX_SPAWN_SETSIGMASK 0x0008
#define POSIX_SPAWN_CLOEXEC_DEFAULT 0x4000
#define _SC_CLK_TCK 3
