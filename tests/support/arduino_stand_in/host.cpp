/* main() of a core on this computer: the line is a listening socket, argv[1], and the flash a file, argv[2]. */
#include "host.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "arduino_api.h"

#define LINE "GRADMOTE_STAND_IN_LINE" /* the connection's descriptor, over a restart */

uint8_t stack_memory[HOST_STACK] __attribute__((aligned(64)));
LINKER_SYMBOL(_estack, "stack_memory + 0x40000");    /* as some cores call the stack's end, */
LINKER_SYMBOL(__StackTop, "stack_memory + 0x40000"); /* and others */
StandInSerial Serial;

static char **arguments;
static int line = -1;
static uint8_t incoming[4096];
static size_t incoming_at, incoming_end;
static uint8_t *writable; /* the flash; then a byte for each of its bytes: 1 where it was programmed */

void host_fail(const char *why)
{
    fprintf(stderr, "%s\n", why);
    exit(1);
}

/* ---- Time ---- */

static uint64_t now_us()
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

unsigned long micros(void)
{
    return (uint32_t)now_us();
}

unsigned long millis(void)
{
    return (uint32_t)(now_us() / 1000u);
}

void delay(unsigned long ms)
{
    struct pollfd wait = {line, POLLIN, 0};
    poll(&wait, 1, (int)ms);
}

/* ---- Line ---- */

void StandInSerial::begin(unsigned long) {}

int StandInSerial::available()
{
    if (incoming_at == incoming_end) {
        ssize_t count = recv(line, incoming, sizeof incoming, MSG_DONTWAIT);
        if (count == 0) {
            exit(0); /* the host hung up */
        }
        incoming_at = 0;
        incoming_end = count > 0 ? (size_t)count : 0;
    }
    return (int)(incoming_end - incoming_at);
}

int StandInSerial::read()
{
    return available() ? incoming[incoming_at++] : -1;
}

size_t StandInSerial::write(const uint8_t *buffer, size_t size)
{
    ssize_t count = send(line, buffer, size, MSG_NOSIGNAL);
    return count > 0 ? (size_t)count : 0;
}

void StandInSerial::flush() {}

StandInSerial::operator bool()
{
    return true;
}

size_t StandInSerial::setRxBufferSize(size_t size)
{
    return size;
}

static int accept_one(int listener)
{
    int one = 1, found = accept(listener, NULL, NULL);
    if (found < 0) {
        host_fail("cannot accept");
    }
    setsockopt(found, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    close(listener);
    return found;
}

static void open_line()
{
    const char *kept = getenv(LINE);
    line = kept != NULL ? atoi(kept) : accept_one(atoi(arguments[1]));
}

void host_restart()
{
    char text[16];
    snprintf(text, sizeof text, "%d", line);
    setenv(LINE, text, 1);
    execv("/proc/self/exe", arguments);
    host_fail("cannot restart");
}

/* ---- Flash ---- */

/* Twice: where the part has it for reading, and anywhere for writing. */
static void map_flash()
{
    int file = open(arguments[2], O_RDWR | O_CREAT, 0600);
    off_t there = lseek(file, 0, SEEK_END);
    if (file < 0 || ftruncate(file, 2 * (off_t)flash_chip.size)) {
        host_fail("cannot make the flash");
    }
    void *seen = mmap((void *)flash_chip.base, flash_chip.size, PROT_READ, MAP_SHARED | MAP_FIXED_NOREPLACE, file, 0);
    void *written = mmap(NULL, 2 * (size_t)flash_chip.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (seen != (void *)flash_chip.base || written == MAP_FAILED) {
        host_fail("cannot map the flash");
    }
    writable = (uint8_t *)written;
    if (there == 0) {
        memset(writable, 0xFF, flash_chip.size);
    }
}

static uint8_t *cell(uintptr_t at, uint32_t size, uint32_t unit)
{
    if (at % unit || size % unit || at < flash_chip.base || at + size > flash_chip.base + flash_chip.size) {
        host_fail("flash: written where nothing may be, or not in whole units");
    }
    return writable + (at - flash_chip.base);
}

void host_erase(uintptr_t at, uint32_t size, uint32_t unit)
{
    uint8_t *cells = cell(at, size, unit);
    memset(cells, 0xFF, size);
    memset(cells + flash_chip.size, 0, size);
}

void host_program(uintptr_t at, const void *data, uint32_t size, uint32_t unit)
{
    uint8_t *cells = cell(at, size, unit);
    for (uint32_t i = 0; i < size; ++i) {
        cells[i] &= ((const uint8_t *)data)[i];
    }
}

void host_program_once(uintptr_t at, const void *data, uint32_t unit)
{
    uint8_t *cells = cell(at, unit, unit), *done = cells + flash_chip.size;
    if (*done) {
        host_fail("flash: a word was programmed twice");
    }
    *done = 1;
    host_program(at, data, unit, unit);
}

/* ---- A core's main() ---- */

static void sketch()
{
    setup();
    for (;;) {
        loop();
    }
}

int main(int, char **given)
{
    static ucontext_t above, below;
    arguments = given;
    map_flash();
    open_line();
    getcontext(&below);
    below.uc_stack.ss_sp = stack_memory;
    below.uc_stack.ss_size = sizeof stack_memory;
    below.uc_link = &above;
    makecontext(&below, sketch, 0);
    swapcontext(&above, &below);
}
