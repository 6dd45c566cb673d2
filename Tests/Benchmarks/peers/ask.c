// Asks a responder for the SRV record of one name, over and over, and measures it.
// usage: ask latency INTERFACE ADDRESS NAME legacy|qu COUNT MICROSECONDS
//        ask load INTERFACE ADDRESS NAME legacy|qu SECONDS WINDOW PID
//
// `legacy` queries leave from a port of their own, `qu` from 5353 with the QU bit: neither is
// answered by multicast, whose limit of one a second for a record would be measured else.
// `latency` has one query on its way at a time, each so long after the one before; `load` has
// WINDOW on their way and tells the processor time that process PID took for each answer.
// NAME has no escapes. Prints KEY=VALUE words: microseconds, answers a second.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PORT = 5353, BATCH = 32, SIZE = 2048 };

static unsigned char query[512];
static size_t query_size;
static int s;
static struct sockaddr_in destination = {.sin_family = AF_INET};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static void set(int level, int option, const void *value, socklen_t size) {
    if (setsockopt(s, level, option, value, size)) { perror("setsockopt"); exit(1); }
}

static void open_socket(const char *interface, int port) {
    int one = 1, zero = 0, ttl = 255, room = 8 << 20;
    struct ip_mreqn membership = {.imr_ifindex = if_nametoindex(interface)};
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(port)};
    inet_pton(AF_INET, "224.0.0.251", &membership.imr_multiaddr);
    s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    set(SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    setsockopt(s, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
    set(IPPROTO_IP, IP_MULTICAST_IF, &membership, sizeof membership);
    set(IPPROTO_IP, IP_MULTICAST_TTL, &ttl, sizeof ttl);
    set(IPPROTO_IP, IP_MULTICAST_LOOP, &zero, sizeof zero);
    set(IPPROTO_IP, IP_TTL, &ttl, sizeof ttl);
    if (bind(s, (void *)&any, sizeof any)) { perror("bind"); exit(1); }
    // Answers by multicast, should there be any, count too.
    if (port) set(IPPROTO_IP, IP_ADD_MEMBERSHIP, &membership, sizeof membership);
}

static void make_query(const char *name, int is_qu) {
    query[5] = 1;
    query_size = 12;
    while (*name) {
        size_t length = strcspn(name, ".");
        query[query_size++] = length;
        memcpy(query + query_size, name, length);
        query_size += length;
        name += length + (name[length] == '.');
    }
    memcpy(query + query_size, (unsigned char[]){0, 0, 33, is_qu ? 0x80 : 0, 1}, 5);
    query_size += 5;
}

// Whether it is a response with an answer, and with the query's id if that counts.
static int is_answer(const unsigned char *message, ssize_t size, int has_id) {
    return size > 12 && message[2] & 0x80 && message[7]
        && (!has_id || !memcmp(message, query, 2));
}

static int by_value(const void *left, const void *right) {
    double difference = *(double *)left - *(double *)right;
    return (difference > 0) - (difference < 0);
}

static void latency(int is_legacy, int count, double interval) {
    double *times = calloc(count, sizeof *times);
    unsigned char message[SIZE];
    int answered = 0;
    for (int number = 1; number <= count; number++) {
        while (recv(s, message, SIZE, MSG_DONTWAIT) >= 0) {}
        if (is_legacy) query[0] = number >> 8, query[1] = number;
        double start = now();
        sendto(s, query, query_size, 0, (void *)&destination, sizeof destination);
        struct pollfd ready = {.fd = s, .events = POLLIN};
        while (poll(&ready, 1, 1000) > 0) {
            ssize_t size = recv(s, message, SIZE, 0);
            double end = now();
            if (!is_answer(message, size, is_legacy)) continue;
            times[answered++] = (end - start) * 1e6;
            break;
        }
        double left = start + interval - now();
        if (left > 0) usleep(left * 1e6);
    }
    qsort(times, answered, sizeof *times, by_value);
    printf("median=%.1f p99=%.1f unanswered=%d\n", answered ? times[answered / 2] : 0,
        answered ? times[answered * 99 / 100] : 0, count - answered);
}

// Seconds of processor time in user and system mode.
static void processor_time(int pid, double *user, double *system) {
    char path[64], text[2048];
    unsigned long ticks[2] = {0, 0};
    sprintf(path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file) { perror(path); exit(1); }
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    // The name, which is the second field, may hold blanks.
    sscanf(strrchr(text, ')') + 2, "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu %lu",
        &ticks[0], &ticks[1]);
    *user = (double)ticks[0] / sysconf(_SC_CLK_TCK);
    *system = (double)ticks[1] / sysconf(_SC_CLK_TCK);
}

static void load(double seconds, int window, int pid) {
    static unsigned char buffers[BATCH][SIZE];
    struct mmsghdr out[BATCH], in[BATCH];
    struct iovec sent = {query, query_size}, received[BATCH];
    memset(out, 0, sizeof out);
    memset(in, 0, sizeof in);
    for (int i = 0; i < BATCH; i++) {
        received[i] = (struct iovec){buffers[i], SIZE};
        out[i].msg_hdr = (struct msghdr){.msg_name = &destination,
            .msg_namelen = sizeof destination, .msg_iov = &sent, .msg_iovlen = 1};
        in[i].msg_hdr = (struct msghdr){.msg_iov = &received[i], .msg_iovlen = 1};
    }
    double user[2], system[2], start = now();
    long answers = 0, lost = 0, waiting = 0, bytes = 0;
    processor_time(pid, &user[0], &system[0]);
    while (now() < start + seconds) {
        int free = window - waiting < BATCH ? window - waiting : BATCH;
        // Half a window at a time, so that few calls carry many queries.
        if (2 * free >= window || free == BATCH) {
            int count = sendmmsg(s, out, free, 0);
            if (count > 0) waiting += count;
        }
        struct pollfd ready = {.fd = s, .events = POLLIN};
        if (poll(&ready, 1, 100) <= 0) { lost += waiting; waiting = 0; continue; }
        int count = recvmmsg(s, in, BATCH, MSG_DONTWAIT, NULL);
        for (int i = 0; i < count; i++) {
            if (!is_answer(buffers[i], in[i].msg_len, 0)) continue;
            answers++;
            bytes += in[i].msg_len;
            if (waiting > 0) waiting--;
        }
    }
    double elapsed = now() - start, each = 1e6 / (answers ? answers : 1);
    processor_time(pid, &user[1], &system[1]);
    printf("rate=%.0f user=%.2f system=%.2f lost=%ld bytes=%.0f\n", answers / elapsed,
        (user[1] - user[0]) * each, (system[1] - system[0]) * each, lost,
        (double)bytes / (answers ? answers : 1));
}

int main(int count, char **words) {
    if (count < 8) { fprintf(stderr, "usage: see ask.c\n"); return 2; }
    int is_qu = !strcmp(words[5], "qu");
    open_socket(words[2], is_qu ? PORT : 0);
    destination.sin_port = htons(PORT);
    if (inet_pton(AF_INET, words[3], &destination.sin_addr) != 1) return 2;
    make_query(words[4], is_qu);
    if (!strcmp(words[1], "latency")) {
        latency(!is_qu, atoi(words[6]), atof(words[7]) / 1e6);
    } else if (count > 8) {
        load(atof(words[6]), atoi(words[7]), atoi(words[8]));
    }
}
