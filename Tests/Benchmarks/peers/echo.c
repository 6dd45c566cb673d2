// The floor of answering on a link: each datagram is received, patched and sent back, and nothing
// is known, looked up, limited or remembered. What no responder can beat.
// usage: echo INTERFACE
//
// Any query with one question is answered with an SRV record of its name. By unicast, as a query
// with the QU bit, a direct one or one from another port than 5353 asks for (RFC 6762 5.4, 6.7);
// else by multicast, each time.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum { PORT = 5353, HEADER = 12, TAIL = 4 };

static void set(int s, int level, int option, const void *value, socklen_t size) {
    if (setsockopt(s, level, option, value, size)) { perror("setsockopt"); exit(1); }
}

static int open_socket(const struct sockaddr_in *group, unsigned interface) {
    int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), one = 1, zero = 0, ttl = 255;
    struct ip_mreqn membership = {.imr_multiaddr = group->sin_addr, .imr_ifindex = interface};
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    set(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    set(s, IPPROTO_IP, IP_MULTICAST_IF, &membership, sizeof membership);
    set(s, IPPROTO_IP, IP_MULTICAST_TTL, &ttl, sizeof ttl);
    set(s, IPPROTO_IP, IP_MULTICAST_LOOP, &zero, sizeof zero);
    set(s, IPPROTO_IP, IP_TTL, &ttl, sizeof ttl);
    set(s, IPPROTO_IP, IP_PKTINFO, &one, sizeof one);
    if (bind(s, (void *)&any, sizeof any)) { perror("bind"); exit(1); }
    set(s, IPPROTO_IP, IP_ADD_MEMBERSHIP, &membership, sizeof membership);
    return s;
}

// Makes the answer of a query of `count` bytes in place; its length, 0 if there is none.
static size_t answer(unsigned char *message, size_t count, int is_legacy) {
    static const unsigned char record[] = {
        0xC0, HEADER, 0, 33, 0, 1, 0, 0, 0, 10, 0, 13,          // name, type, class, TTL, length
        0, 0, 0, 0, 0x0F, 0xA0, 5, 'f', 'l', 'o', 'o', 'r', 0,  // SRV 0 0 4000 floor
    };
    if (count < HEADER + 5 || message[2] & 0x80 || message[4] || message[5] != 1) return 0;
    size_t end = HEADER;
    while (end < count && message[end]) end += 1 + message[end];
    end += 1 + TAIL;
    if (end > count) return 0;
    memcpy(message + 2, (unsigned char[]){0x84, 0, 0, 1, 0, 1, 0, 0, 0, 0}, 10);
    message[end - 2] &= 0x7F;
    if (!is_legacy) {
        // No question: the name stands in the record itself.
        message[5] = 0;
        memcpy(message + end - TAIL, record + 2, sizeof record - 2);
        message[end - TAIL + 2] = 0x80;
        return end - TAIL + sizeof record - 2;
    }
    memcpy(message + end, record, sizeof record);
    return end + sizeof record;
}

int main(int count, char **words) {
    unsigned interface = count > 1 ? if_nametoindex(words[1]) : 0;
    if (!interface) { fprintf(stderr, "usage: echo INTERFACE\n"); return 2; }
    struct sockaddr_in group = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    inet_pton(AF_INET, "224.0.0.251", &group.sin_addr);
    int s = open_socket(&group, interface), poller = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(poller, EPOLL_CTL_ADD, s, &event);
    puts("ready");
    fflush(stdout);
    for (;;) {
        static unsigned char message[9200];
        char control[256];
        struct sockaddr_in source;
        struct iovec vector;
        epoll_wait(poller, &event, 1, -1);
        for (;;) {
            struct msghdr in = {
                .msg_name = &source, .msg_namelen = sizeof source, .msg_iov = &vector,
                .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control,
            };
            vector = (struct iovec){message, 9000};
            ssize_t size = recvmsg(s, &in, MSG_DONTWAIT);
            if (size < 0) break;
            int is_legacy = source.sin_port != htons(PORT), is_unicast = is_legacy;
            for (struct cmsghdr *c = CMSG_FIRSTHDR(&in); c; c = CMSG_NXTHDR(&in, c)) {
                struct in_pktinfo info;
                if (c->cmsg_level != IPPROTO_IP || c->cmsg_type != IP_PKTINFO) continue;
                memcpy(&info, CMSG_DATA(c), sizeof info);
                is_unicast |= info.ipi_addr.s_addr != group.sin_addr.s_addr;
            }
            size_t type = HEADER;
            while (type < (size_t)size && message[type]) type += 1 + message[type];
            if (type + TAIL < (size_t)size) is_unicast |= message[type + 3] & 0x80;
            size_t length = answer(message, size, is_legacy);
            if (!length) continue;
            vector = (struct iovec){message, length};
            struct msghdr out = {
                .msg_name = is_unicast ? &source : &group, .msg_namelen = sizeof source,
                .msg_iov = &vector, .msg_iovlen = 1,
            };
            sendmsg(s, &out, 0);
        }
    }
}
