#include "firmware.h"

#include <string.h>

#include "application.h"
#include "board.h"
#include "commands.h"
#include "console.h"
#include "memory.h"
#include "messages.h"
#include "slots.h"

static device the_device;

static void take_byte(device *d, uint8_t byte)
{
    if (frame_wants(&d->receiver, byte)) {
        d->frame_ready = frame_feed(&d->receiver, byte) == FRAME_READY;
    } else {
        console_type(d, (char)byte);
    }
}

/* Takes what has arrived. A whole frame waits while a program runs, and what follows it waits in the UART. */
static void poll_line(device *d)
{
    int byte = -1;
    while (!d->frame_ready && (byte = board_uart_get()) >= 0) {
        take_byte(d, (uint8_t)byte);
    }
    if (!d->frame_ready && frame_recovered(&d->receiver)) {
        messages_report_damage();
    }
    if (d->frame_ready && !d->run.active) {
        messages_handle(d);
        d->frame_ready = 0;
    }
}

static void poll_run(device *d)
{
    if (!d->run.active) {
        return;
    }
    int result = run_slice(&d->run, &d->model);
    enum requester requester = d->requester;
    if (result == GM_AGAIN) {
        if (requester == REQUESTER_FRAME) {
            messages_report_alive(d);
        }
        return;
    }
    d->requester = REQUESTER_NONE;
    if (requester == REQUESTER_FRAME) {
        messages_answer_run(d, result);
    } else {
        commands_run_ended(d, result);
    }
}

void firmware_start(void)
{
    device *d = &the_device;
    memory_paint_stack();
    memset(d, 0, sizeof *d);
    board_init();
    run_reset(&d->run);
    if (model_open(&d->model) == 0) {
        slots_load(&d->model.session);
    }
    console_greet(d);
}

void firmware_poll(void)
{
    device *d = &the_device;
    poll_line(d);
    poll_run(d);
    if (!application_poll() && !d->run.active) {
        board_sleep();
    }
}

int firmware_session(gm_session **out)
{
    device *d = &the_device;
    *out = &d->model.session;
    return d->run.active ? GM_ERR_BUSY : d->model.status;
}

int firmware_place(uint32_t role, uint32_t index, void **data, uint32_t *size)
{
    gm_session *session;
    int error = firmware_session(&session);
    return error ? error : samples_place(&the_device.model.samples, session, role, index, data, size);
}
