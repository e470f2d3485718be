/* The sample store: what it holds, what is learnt and forgotten, and training on it. */
#include "board.h"
#include "console/handlers.h"
#include "console/reply.h"

int handle_store(device *d, const uint8_t *payload, uint32_t length)
{
    gm_store_info info;
    (void)payload;
    (void)length;
    int error = teach_view(&d->model, &info);
    if (error == 0) {
        reply_u32(&d->reply, info.capacity);
        reply_u32(&d->reply, info.classes);
        reply_u32(&d->reply, info.dtype);
        reply_u32(&d->reply, info.elements);
        reply_u32(&d->reply, info.kept);
        reply_u8(&d->reply, (uint32_t)d->teach.idle);
    }
    return error;
}

int handle_store_class(device *d, const uint8_t *payload, uint32_t length)
{
    gm_store_class own;
    (void)length;
    int error = d->model.status ? d->model.status : gm_store_class_view(&d->model.session, load_u32(payload), &own);
    if (error == 0) {
        reply_u32(&d->reply, own.seen);
        reply_u32(&d->reply, own.kept);
    }
    return error;
}

int handle_learn(device *d, const uint8_t *payload, uint32_t length)
{
    (void)length;
    return teach_learn(&d->model, load_u32(payload));
}

int handle_forget(device *d, const uint8_t *payload, uint32_t length)
{
    (void)length;
    return d->model.status ? d->model.status : gm_forget(&d->model.session, load_u32(payload));
}

int handle_replay(device *d, const uint8_t *payload, uint32_t length)
{
    (void)length;
    return handle_later(d, run_begin_replay(&d->run, &d->model, payload[CONSOLE_REPLAY_AT_PROGRAM]));
}

static int score_batch(device *d)
{
    int result = teach_next_batch(&d->teach, &d->run, &d->model);
    if (result == TEACH_RUNS) {
        return handle_later(d, 0);
    }
    reply_u32(&d->reply, d->teach.kept);
    reply_u32(&d->reply, d->teach.right);
    return result;
}

int handle_scored(device *d)
{
    int error = teach_count_batch(&d->teach, &d->model);
    return error ? error : score_batch(d);
}

/* One score at a time: a typed one may have begun. */
int handle_score(device *d, const uint8_t *payload, uint32_t length)
{
    (void)length;
    int error = d->console.scores ? GM_ERR_BUSY : teach_score(&d->teach, &d->model, load_u32(payload));
    return error ? error : score_batch(d);
}

int handle_idle_training(device *d, const uint8_t *payload, uint32_t length)
{
    (void)length;
    if (payload[CONSOLE_IDLE_TRAINING_AT_ON] > 1) {
        return CONSOLE_ERR_BAD_PAYLOAD;
    }
    return teach_set_idle(&d->teach, &d->model, payload[CONSOLE_IDLE_TRAINING_AT_ON]);
}
