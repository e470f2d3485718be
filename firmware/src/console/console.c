#include "console/console.h"

#include "board.h"
#include "console/commands.h"
#include "console/reports.h"
#include "console/text.h"
#include "device/fault.h"

#define CTRL_C 0x03
#define BACKSPACE 0x08
#define CTRL_U 0x15
#define DELETE 0x7F

static void greet_after_fault(void)
{
    fault_record fault;
    if (!fault_take(&fault)) {
        return;
    }
    text_put("restarted after a fault: status 0x");
    text_hex(fault.status);
    text_put(", pc 0x");
    text_hex(fault.pc);
    text_line(" - please report it with the model");
}

void console_greet(const device *d)
{
    text_line("");
    greet_after_fault();
    report_info(d);
    text_line("type help for the commands");
    commands_prompt();
}

/* Erases the last character, which in UTF-8 may have several bytes. */
static void erase(console *c)
{
    uint8_t last;
    if (c->length == 0) {
        return;
    }
    do {
        last = (uint8_t)c->line[--c->length];
    } while (c->length > 0 && (last & 0xC0u) == 0x80u);
    text_put("\b \b");
}

static void finish_line(device *d)
{
    console *c = &d->console;
    c->line[c->length] = '\0';
    c->length = 0;
    c->line_ready = 1;
    text_line("");
}

/* A typed command is busy between its programs, too. */
void console_execute(device *d)
{
    int waits = d->requester == REQUESTER_IDLE || (d->console.goes_on && !d->run.active);
    if (d->console.line_ready && !waits) {
        d->console.line_ready = 0;
        commands_execute(d, d->console.line);
    }
}

static void interrupt(device *d)
{
    text_line("^C");
    d->console.length = 0;
    d->console.steps_left = 0;
    d->teach.idle = 0;
    if (d->requester != REQUESTER_PERSON && !d->console.goes_on) {
        commands_prompt();
    }
}

static void append(console *c, char character)
{
    if (c->length < LINE_LIMIT - 1) {
        c->line[c->length++] = character;
        board_uart_put((uint8_t)character);
    }
}

void console_type(device *d, char character)
{
    if (character == '\r' || (character == '\n' && d->console.length > 0)) {
        finish_line(d);
    } else if (character == CTRL_C) {
        interrupt(d);
    } else if (character == BACKSPACE || character == DELETE) {
        erase(&d->console);
    } else if (character == CTRL_U) {
        while (d->console.length > 0) {
            erase(&d->console);
        }
    } else if ((uint8_t)character >= ' ') {
        append(&d->console, character);
    }
}
