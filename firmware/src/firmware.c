#include "firmware.h"

#include <string.h>

#include "application.h"
#include "board.h"
#include "console/commands.h"
#include "console/console.h"
#include "console/messages.h"
#include "console/reports.h"
#include "device/memory.h"

static device the_device;

/* A new frame replaces one that waits: the host sends it only after it has given up on the
 * first. */
static void take_frame_byte(device *d, uint8_t byte)
{
    if (frame_feed(&d->receiver, byte) == FRAME_READY) {
        d->frame_ready = 1;
    } else if (frame_begins(&d->receiver)) {
        d->frame_ready = 0;
    }
}

static void take_byte(device *d, uint8_t byte)
{
    d->last_input = board_ticks();
    if (frame_wants(&d->receiver, byte)) {
        take_frame_byte(d, byte);
    } else {
        console_type(d, (char)byte);
    }
}

static int request_waits(const device *d)
{
    return d->frame_ready || d->console.line_ready;
}

/* Reads the line. While a program runs it reads everything, so that Ctrl-C is never delayed.
 * Otherwise it stops after a frame, to answer it first. A typed line waits for the end of an idle
 * step, and the bytes after it stay in the UART. */
static void poll_line(device *d)
{
    int byte = -1;
    console_execute(d);
    while (!d->console.line_ready && (!d->frame_ready || d->run.active) && (byte = board_uart_get()) >= 0) {
        take_byte(d, (uint8_t)byte);
        console_execute(d);
    }
    if (byte < 0 && frame_recovered(&d->receiver)) {
        d->console.length = 0; /* may hold the beginning of a frame whose start was lost */
        messages_report_damage();
    }
    if (d->frame_ready && !d->run.active) {
        d->frame_ready = 0;
        messages_handle(d);
    }
}

/* Trains on the store when there is no request and none is likely soon: a host that has just run
 * INFER will read the outputs. */
static void start_idle_step(device *d)
{
    const uint32_t quiet = BOARD_TICKS_PER_SECOND / 1000 * CONSOLE_IDLE_MS;
    if (d->run.active || d->console.goes_on || request_waits(d) || board_ticks() - d->last_input < quiet) {
        return;
    }
    int result = teach_begin_idle(&d->teach, &d->run, &d->model);
    if (result == TEACH_RUNS) {
        d->requester = REQUESTER_IDLE;
    } else if (result < 0) {
        report_error(result);
    }
}

static void idle_program_ended(device *d, int error)
{
    if (error == GM_ERR_NOT_FINITE && d->run.skips < RUN_SKIPS_LIMIT) {
        return;
    }
    int result = error ? error : teach_end_idle(&d->run, &d->model);
    if (result == TEACH_RUNS) {
        d->requester = REQUESTER_IDLE;
    } else if (result < 0) {
        d->teach.idle = 0;
        report_error(result);
    }
}

static void report_alive(device *d)
{
    if (d->requester == REQUESTER_FRAME || d->frame_ready) {
        messages_report_alive(d);
    }
}

/* Saves a checkpoint between two steps, before the update is reported as done. */
static void keep_checkpoint(device *d)
{
    uint32_t program = d->run.program;
    if (program == GM_PROGRAM_STEP || program == GM_PROGRAM_OPTIMIZER) {
        report_autosave(d, autosave_updated(&d->autosave, &d->model));
    }
}

static void program_ended(device *d, int error)
{
    if (error == 0) {
        keep_checkpoint(d);
    }
    enum requester requester = d->requester;
    d->requester = REQUESTER_NONE;
    if (requester == REQUESTER_FRAME) {
        messages_run_ended(d, error);
    } else if (requester == REQUESTER_PERSON) {
        commands_run_ended(d, error);
    } else {
        idle_program_ended(d, error);
    }
}

/* Returns whether a program ran. */
static int poll_run(device *d)
{
    if (!d->run.active) {
        return 0;
    }
    int result = run_slice(&d->run, &d->model);
    if (result == GM_AGAIN) {
        report_alive(d);
    } else {
        program_ended(d, result);
    }
    return 1;
}

void firmware_start(void)
{
    device *d = &the_device;
    memory_paint_stack();
    memset(d, 0, sizeof *d);
    board_init();
    run_reset(&d->run);
    uint32_t carried;
    if (model_open(&d->model) == 0) {
        model_restore(&d->model, &carried);
    }
    console_greet(d);
}

void firmware_poll(void)
{
    device *d = &the_device;
    poll_line(d);
    commands_go_on(d);
    console_execute(d); /* a line that waited for the next program of a `train` is refused, because it is running */
    start_idle_step(d);
    int ran = poll_run(d) || d->console.goes_on;
    if (!application_poll() && !ran) {
        board_sleep();
    }
}

int firmware_session(gm_session **out)
{
    device *d = &the_device;
    *out = &d->model.session;
    return d->run.active || d->console.goes_on ? GM_ERR_BUSY : d->model.status;
}

int firmware_place(uint32_t role, uint32_t index, void **data, uint32_t *size)
{
    gm_session *session;
    int error = firmware_session(&session);
    return error ? error : samples_address(&the_device.model.samples, session, role, index, data, size);
}
