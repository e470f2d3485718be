/* The sample store: its contents, learning and forgetting, and training on it. */
#include "console/messages.h"
#include "console_handlers.h"

int handle_store(device *d, store_reply *reply)
{
    gm_store_info info;
    int error = teach_view(&d->model, &info);
    if (error == 0) {
        reply->capacity = info.capacity;
        reply->classes = info.classes;
        reply->dtype = info.dtype;
        reply->elements = info.elements;
        reply->kept = info.kept;
        reply->idle = (uint8_t)d->teach.idle;
    }
    return error;
}

int handle_store_class(device *d, const store_class_request *request, store_class_reply *reply)
{
    gm_store_class own;
    int error = d->model.status ? d->model.status : gm_store_class_view(&d->model.session, request->label, &own);
    if (error == 0) {
        reply->seen = own.seen;
        reply->kept = own.kept;
    }
    return error;
}

int handle_learn(device *d, const learn_request *request)
{
    return teach_learn(&d->model, request->label);
}

int handle_forget(device *d, const forget_request *request)
{
    return d->model.status ? d->model.status : gm_forget(&d->model.session, request->label);
}

int handle_replay(device *d, const replay_request *request, run_reply *reply)
{
    (void)reply;
    return messages_reply_at_end(d, run_begin_replay(&d->run, &d->model, request->program));
}

static int score_batch(device *d, score_reply *reply)
{
    int result = teach_next_batch(&d->teach, &d->run, &d->model);
    if (result == TEACH_RUNS) {
        return messages_reply_at_end(d, 0);
    }
    reply->kept = d->teach.kept;
    reply->right = d->teach.right;
    return result;
}

int finish_score(device *d, score_reply *reply)
{
    int error = teach_count_batch(&d->teach, &d->model);
    return error ? error : score_batch(d, reply);
}

/* Only one score can run at a time, and it may be a typed one. */
int handle_score(device *d, const score_request *request, score_reply *reply)
{
    int error = d->console.scores ? GM_ERR_BUSY : teach_score(&d->teach, &d->model, request->label);
    return error ? error : score_batch(d, reply);
}

int handle_idle_training(device *d, const idle_training_request *request)
{
    if (request->on > 1) {
        return CONSOLE_ERR_BAD_PAYLOAD;
    }
    return teach_set_idle(&d->teach, &d->model, request->on);
}
