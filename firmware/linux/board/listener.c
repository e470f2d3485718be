#include "listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "../failure.h"

#define HINT "write the computer's own address in numbers, or 0.0.0.0 for all of them: --listen 127.0.0.1:7777"
#define ADDRESS_LIMIT 64u /* characters of a host */

/* In seconds. A client whose computer was switched off is dropped after about 25. */
#define SEND_TIMEOUT 10
#define KEEPALIVE_IDLE 10
#define KEEPALIVE_EVERY 5
#define KEEPALIVE_COUNT 3

typedef union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} address;

/* ---- Names -------------------------------------------------------------------------------------------------- */

/* Parses `length` characters such as "[::1]" or "127.0.0.1". Returns the size of the address, or
 * 0. */
static socklen_t parse_host(const char *text, size_t length, address *out)
{
    char host[ADDRESS_LIMIT];
    int bracketed = length > 2 && text[0] == '[' && text[length - 1] == ']';
    size_t skipped = bracketed ? 1 : 0;
    length -= 2 * skipped;
    if (length >= sizeof host) {
        return 0;
    }
    memcpy(host, text + skipped, length);
    host[length] = '\0';
    memset(out, 0, sizeof *out);
    if (bracketed && inet_pton(AF_INET6, host, &out->v6.sin6_addr) == 1) {
        out->v6.sin6_family = AF_INET6;
        return sizeof out->v6;
    }
    if (!bracketed && inet_pton(AF_INET, host, &out->v4.sin_addr) == 1) {
        out->v4.sin_family = AF_INET;
        return sizeof out->v4;
    }
    return 0;
}

static socklen_t parse(const char *text, address *out)
{
    char *end;
    const char *colon = strrchr(text, ':');
    socklen_t size = colon != NULL ? parse_host(text, (size_t)(colon - text), out) : 0;
    unsigned long port = colon != NULL ? strtoul(colon + 1, &end, 10) : 0;
    if (size == 0 || colon[1] < '0' || colon[1] > '9' || *end != '\0' || port > 65535) {
        misuse(HINT, "'%s' is not a HOST:PORT to listen at", text);
    }
    out->v4.sin_port = htons((uint16_t)port); /* at the same place in both */
    return size;
}

static void print(const char *before, const address *who)
{
    char host[ADDRESS_LIMIT] = "?";
    int v6 = who->any.sa_family == AF_INET6;
    inet_ntop(who->any.sa_family, v6 ? (const void *)&who->v6.sin6_addr : (const void *)&who->v4.sin_addr, host,
              sizeof host);
    fprintf(stderr, v6 ? "%s [%s]:%u\n" : "%s %s:%u\n", before, host, (unsigned)ntohs(who->v4.sin_port));
}

/* ---- The port ----------------------------------------------------------------------------------------------- */

static void set(int socket, int level, int option, int value)
{
    (void)setsockopt(socket, level, option, &value, sizeof value);
}

int listener_open(const char *text)
{
    address where;
    socklen_t size = parse(text, &where);
    int listener = socket(where.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0) {
        fail_errno(text);
    }
    set(listener, SOL_SOCKET, SO_REUSEADDR, 1);
    if (bind(listener, &where.any, size) != 0 || listen(listener, 4) != 0) {
        fail("choose another port, or an address of this computer", "cannot listen at %s: %s", text, strerror(errno));
    }
    signal(SIGPIPE, SIG_IGN);
    getsockname(listener, &where.any, &size);
    print("listening at", &where);
    return listener;
}

static void prepare(int client)
{
    struct timeval patience = {SEND_TIMEOUT, 0};
    set(client, IPPROTO_TCP, TCP_NODELAY, 1);
    set(client, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(client, IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_IDLE);
    set(client, IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_EVERY);
    set(client, IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_COUNT);
    (void)setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

int listener_accept(int listener, int busy)
{
    static const char refusal[] = "another client is connected\r\n";
    address who;
    socklen_t size = sizeof who;
    int client = accept4(listener, &who.any, &size, SOCK_CLOEXEC);
    if (client < 0) {
        return -1;
    }
    if (busy) {
        (void)!write(client, refusal, sizeof refusal - 1);
        close(client);
        print("refused a second client", &who);
        return -1;
    }
    prepare(client);
    print("client", &who);
    return client;
}
