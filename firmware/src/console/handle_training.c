/* Samples, programs, metrics, and what steers the training. */
#include "board.h"
#include "console/handlers.h"
#include "console/reply.h"

int handle_data(device *d, const uint8_t *payload, uint32_t length)
{
    if (d->model.status) {
        return d->model.status;
    }
    uint32_t role = payload[CONSOLE_DATA_AT_ROLE], offset = load_u32(payload + CONSOLE_DATA_AT_OFFSET);
    uint32_t count = length - CONSOLE_DATA_AT_DATA;
    int error = samples_write(&d->model.samples, &d->model.session, role, load_u16(payload + CONSOLE_DATA_AT_INDEX),
                              offset, payload + CONSOLE_DATA_AT_DATA, count);
    if (error == 0) {
        teach_sent(&d->teach, &d->model, role, offset + count);
    }
    return error;
}

int handle_data_u8(device *d, const uint8_t *payload, uint32_t length)
{
    u8_scale map = { load_f32(payload + CONSOLE_DATA_U8_AT_SCALE), load_f32(payload + CONSOLE_DATA_U8_AT_ZERO) };
    if (d->model.status) {
        return d->model.status;
    }
    uint32_t role = payload[CONSOLE_DATA_U8_AT_ROLE], element = load_u32(payload + CONSOLE_DATA_U8_AT_ELEMENT);
    uint32_t count = length - CONSOLE_DATA_U8_AT_DATA;
    int error = samples_write_u8(&d->model.samples, &d->model.session, role,
                                 load_u16(payload + CONSOLE_DATA_U8_AT_INDEX), element, map,
                                 payload + CONSOLE_DATA_U8_AT_DATA, count);
    if (error == 0) {
        teach_sent(&d->teach, &d->model, role, 4 * (element + count));
    }
    return error;
}

int handle_later(device *d, int error)
{
    if (error) {
        return error;
    }
    d->requester = REQUESTER_FRAME;
    d->last_alive = board_ticks();
    return HANDLER_LATER;
}

int handle_run(device *d, const uint8_t *payload, uint32_t length)
{
    (void)length;
    return handle_later(d, run_begin(&d->run, &d->model, payload[CONSOLE_RUN_AT_PROGRAM]));
}

int handle_metrics(device *d, const uint8_t *payload, uint32_t length)
{
    const metrics *last = &d->run.metrics;
    (void)payload;
    (void)length;
    if (d->model.status) {
        return d->model.status;
    }
    const gm_control *control = gm_control_view(&d->model.session);
    reply_f32(&d->reply, last->loss);
    reply_u32(&d->reply, control->train_steps);
    reply_u32(&d->reply, control->optimizer_steps);
    reply_u32(&d->reply, control->skipped_steps);
    reply_f32(&d->reply, control->learning_rate);
    reply_u32(&d->reply, last->instructions);
    reply_u64(&d->reply, last->ticks);
    return 0;
}

int handle_learning_rate(device *d, const uint8_t *payload, uint32_t length)
{
    (void)length;
    return d->model.status ? d->model.status : gm_set_learning_rate(&d->model.session, load_f32(payload));
}

int handle_schedule(device *d, const uint8_t *payload, uint32_t length)
{
    (void)length;
    if (d->model.status) {
        return d->model.status;
    }
    return gm_set_linear_schedule(&d->model.session, load_f32(payload + CONSOLE_SCHEDULE_AT_RATE),
                                  load_u32(payload + CONSOLE_SCHEDULE_AT_WARMUP_STEPS),
                                  load_u32(payload + CONSOLE_SCHEDULE_AT_TOTAL_STEPS));
}

int handle_seed(device *d, const uint8_t *payload, uint32_t length)
{
    (void)length;
    return d->model.status ? d->model.status : gm_set_seed(&d->model.session, load_u32(payload));
}

int handle_lazy_reset(device *d, const uint8_t *payload, uint32_t length)
{
    (void)payload;
    (void)length;
    return d->model.status ? d->model.status : gm_lazy_reset_grad(&d->model.session);
}

int handle_reset_state(device *d, const uint8_t *payload, uint32_t length)
{
    (void)payload;
    (void)length;
    return d->model.status ? d->model.status : gm_reset(&d->model.session);
}
