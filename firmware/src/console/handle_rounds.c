/* Rounds of federated learning: sends the board's delta, and takes the one to the next base. */
#include <string.h>

#include "console_handlers.h"
#include "training/federated.h"

int handle_round(device *d, round_reply *reply)
{
    gm_federated_round round;
    int error = federated_round(&d->model, &round);
    reply->number = round.number;
    return error;
}

int handle_round_begin(device *d, const round_begin_request *request)
{
    return federated_begin(&d->model, request->number);
}

int handle_delta(device *d, const delta_request *request, uint32_t size, delta_reply *reply)
{
    gm_federated_round round;
    int error = federated_round(&d->model, &round);
    if (error) {
        return error;
    }
    if (size != 0 && size != (gm_parameter_count(&d->model.session) + 7) / 8) {
        return CONSOLE_ERR_BAD_PAYLOAD;
    }
    round.bits = request->bits;
    round.seed = request->seed;
    round.shared = size != 0 ? request->shared : NULL;
    uint32_t offset = request->offset, wanted = request->length, total = gm_round_delta_size(&d->model.session, &round);
    if (total == 0 || offset > total || wanted > FRAME_LIMIT - sizeof *reply) {
        return CONSOLE_ERR_BAD_PAYLOAD;
    }
    uint32_t left = total - offset, sent = wanted < left ? wanted : left;
    reply->total = total;
    d->reply.length += sent;
    return gm_round_delta_part(&d->model.session, &round, offset, reply->data, sent);
}

int handle_delta_begin(device *d, const delta_begin_request *request)
{
    return federated_expect(&d->model, request->size);
}

int handle_delta_data(device *d, const delta_data_request *request, uint32_t size)
{
    return federated_take(&d->model, request->offset, request->data, size);
}

int handle_delta_end(device *d, const delta_end_request *request, delta_end_reply *reply)
{
    return federated_end(&d->model, request->bits, request->seed, &reply->number);
}
