// Headers of the kernel and the C library: those that Swift's own module leaves out, and those
// that Embedded Swift needs, which has no such module. No code.
//
// Without _GNU_SOURCE: with it some types differ from those in Swift's module, and a program
// that happens to touch both does not compile. What only it would show is declared below.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sched.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);
int pipe2(int ends[2], int flags);
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
int pthread_setname_np(pthread_t thread, const char *name);
int setns(int descriptor, int kind);
int unshare(int kinds);

// Swift can't call functions with any number of arguments. These are `syscall`, `ioctl`, `fcntl`,
// `open` and `openat` with the arguments they are called with here.
long system_call(long number, long first, long second) __asm__("syscall");
int terminal_size(int descriptor, unsigned long request, struct winsize *size) __asm__("ioctl");
int interface_request(int descriptor, unsigned long request, void *argument) __asm__("ioctl");
int file_control(int descriptor, int command, int argument) __asm__("fcntl");
int open_path(const char *path, int flags, mode_t permissions) __asm__("open");
int open_in(int directory, const char *path, int flags, mode_t permissions) __asm__("openat");
