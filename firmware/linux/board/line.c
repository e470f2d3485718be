#include "line.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "../interrupt.h"
#include "board.h"
#include "listener.h"

#define CTRL_D 0x04
#define CTRL_BRACKET 0x1D
#define HOLD_TICKS (BOARD_TICKS_PER_SECOND / 10) /* the longest that a byte waits while nobody asks for input */

static struct {
    int in, out;  /* -1: no client */
    int listener; /* -1: stdin and stdout */
    int terminal; /* 1: stdin is a terminal */
    struct termios before;
    uint32_t at, end; /* of the input that has not been read yet */
    uint8_t input[4096];
    uint32_t held;
    uint32_t held_since;
    uint8_t output[4096];
} line = {.in = -1, .out = -1, .listener = -1};

/* ---- Opening ------------------------------------------------------------------------------------------------ */

static void restore_terminal(void)
{
    tcsetattr(STDIN_FILENO, TCSADRAIN, &line.before);
}

/* The console echoes by itself, and handles Ctrl-C itself. */
static void make_terminal_raw(void)
{
    struct termios raw;
    if (!isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &line.before) != 0) {
        return;
    }
    raw = line.before;
    raw.c_iflag &= ~(tcflag_t)(ICRNL | IXON);
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG | IEXTEN);
    line.terminal = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
    atexit(restore_terminal);
    fputs("Ctrl-D or Ctrl-] leaves\n", stderr);
}

void line_open(const char *listen)
{
    if (listen != NULL) {
        line.listener = listener_open(listen);
        return;
    }
    line.in = STDIN_FILENO;
    line.out = STDOUT_FILENO;
    make_terminal_raw();
}

/* ---- Clients ------------------------------------------------------------------------------------------------ */

static void hang_up(void)
{
    if (line.listener >= 0 && line.in >= 0) {
        close(line.in);
        fputs("client left\n", stderr);
    }
    line.in = -1;
    line.out = line.listener >= 0 ? -1 : line.out;
}

static void welcome(void)
{
    int client = listener_accept(line.listener, line.in >= 0);
    if (client >= 0) {
        line.in = line.out = client;
        line.at = line.end = line.held = 0;
    }
}

/* ---- Bytes -------------------------------------------------------------------------------------------------- */

/* If nobody takes it, output is lost, as on a serial line without a listener. */
void line_flush(void)
{
    uint32_t sent = 0;
    while (sent < line.held && line.out >= 0) {
        ssize_t count = write(line.out, line.output + sent, line.held - sent);
        if (count > 0) {
            sent += (uint32_t)count;
        } else if (errno != EINTR || interrupt_signal()) {
            hang_up();
            line.out = -1;
        }
    }
    line.held = 0;
}

void line_put(uint8_t byte)
{
    if (line.held == 0) {
        line.held_since = board_ticks();
    }
    line.output[line.held++] = byte;
    if (line.held == sizeof line.output || board_ticks() - line.held_since > HOLD_TICKS) {
        line_flush();
    }
}

/* Lets a user at a terminal leave with a key. */
static void look_for_leaving(void)
{
    for (uint32_t i = 0; line.terminal && i < line.end; ++i) {
        if (line.input[i] == CTRL_D || line.input[i] == CTRL_BRACKET) {
            line.end = i;
            line.in = -1;
        }
    }
}

static void take(void)
{
    ssize_t count = read(line.in, line.input, sizeof line.input);
    if (count > 0) {
        line.at = 0;
        line.end = (uint32_t)count;
        look_for_leaving();
    } else if (count == 0 || errno != EINTR) {
        hang_up();
    }
}

static void watch(int milliseconds)
{
    struct pollfd watched[2] = {{line.listener, POLLIN, 0}, {line.in, POLLIN, 0}};
    if (interrupt_signal()) {
        exit(128 + interrupt_signal());
    }
    if (poll(watched, 2, milliseconds) <= 0) {
        return;
    }
    if (watched[1].revents != 0) {
        take();
    }
    if (watched[0].revents != 0) {
        welcome();
    }
}

int line_get(void)
{
    if (line.at == line.end) {
        line_flush();
        watch(0);
    }
    return line.at < line.end ? line.input[line.at++] : -1;
}

void line_wait(int milliseconds)
{
    line_flush();
    if (line.at < line.end) {
        return;
    }
    if (line.in < 0 && line.listener < 0) {
        exit(EXIT_SUCCESS);
    }
    watch(milliseconds);
}
