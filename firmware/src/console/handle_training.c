/* Samples, programs, metrics, and training options. */
#include "console/messages.h"
#include "console_handlers.h"

int handle_data(device *d, const data_request *request, uint32_t size)
{
    if (d->model.status) {
        return d->model.status;
    }
    int error = samples_write(&d->model.samples, &d->model.session, request->role, request->index, request->offset,
                              request->data, size);
    if (error == 0) {
        teach_sent(&d->teach, &d->model, request->role, request->offset + size, 1);
    }
    return error;
}

int handle_data_u8(device *d, const data_u8_request *request, uint32_t size)
{
    u8_scale map = {request->scale, request->zero};
    if (d->model.status) {
        return d->model.status;
    }
    int error = samples_write_u8(&d->model.samples, &d->model.session, request->role, request->index, request->element,
                                 map, request->data, size);
    if (error == 0) {
        teach_sent(&d->teach, &d->model, request->role, request->element + size, 4);
    }
    return error;
}

int handle_run(device *d, const run_request *request, run_reply *reply)
{
    (void)reply;
    return messages_reply_at_end(d, run_begin(&d->run, &d->model, request->program));
}

int handle_metrics(device *d, run_reply *reply)
{
    const metrics *last = &d->run.metrics;
    if (d->model.status) {
        return d->model.status;
    }
    const gm_control *control = gm_control_view(&d->model.session);
    reply->loss = last->loss;
    reply->train_steps = control->train_steps;
    reply->optimizer_steps = control->optimizer_steps;
    reply->skipped_steps = control->skipped_steps;
    reply->learning_rate = control->learning_rate;
    reply->instructions = last->instructions;
    reply->ticks = last->ticks;
    return 0;
}

int finish_run(device *d, run_reply *reply)
{
    return handle_metrics(d, reply);
}

int finish_replay(device *d, run_reply *reply)
{
    return handle_metrics(d, reply);
}

int handle_learning_rate(device *d, const learning_rate_request *request)
{
    return d->model.status ? d->model.status : gm_set_learning_rate(&d->model.session, request->rate);
}

int handle_schedule(device *d, const schedule_request *request)
{
    if (d->model.status) {
        return d->model.status;
    }
    return gm_set_linear_schedule(&d->model.session, request->rate, request->warmup_steps, request->total_steps);
}

int handle_seed(device *d, const seed_request *request)
{
    return d->model.status ? d->model.status : gm_set_seed(&d->model.session, request->seed);
}

int handle_lazy_reset(device *d)
{
    return d->model.status ? d->model.status : gm_lazy_reset_grad(&d->model.session);
}

int handle_reset_state(device *d)
{
    return d->model.status ? d->model.status : gm_reset(&d->model.session);
}
