// Headers of the kernel and the C library that Swift's own module leaves out, and one name for
// a system call that older C libraries have no function for. No code.

// Swift's own module sees `fd_set` as it is without the extensions of GNU, and two modules may
// not disagree on a type: so first that header, then the extensions for all that follow.
#include <sys/select.h>
#undef _FEATURES_H
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <linux/if_addr.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

// `syscall` takes any number of arguments, which Swift can't call; this is the same function.
long system_call(long number, long first, long second) __asm__("syscall");
// The same for `ioctl`, with the arguments of its request TIOCGWINSZ.
int terminal_size(int descriptor, unsigned long request, struct winsize *size) __asm__("ioctl");
