// Headers of the kernel and the C library that Swift's own module leaves out. No code.
//
// Without _GNU_SOURCE: with it some types differ from those in Swift's module, and a program
// that happens to touch both does not compile. What only it would show is declared below.
#include <fcntl.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sched.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

int pipe2(int ends[2], int flags);
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
int pthread_setname_np(pthread_t thread, const char *name);
int setns(int descriptor, int kind);
int unshare(int kinds);

// Swift can't call functions with any number of arguments. These are `syscall` and `ioctl` with
// the arguments they are called with here.
long system_call(long number, long first, long second) __asm__("syscall");
int terminal_size(int descriptor, unsigned long request, struct winsize *size) __asm__("ioctl");
int interface_request(int descriptor, unsigned long request, void *argument) __asm__("ioctl");
