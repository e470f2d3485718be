#include "steps.h"

#include "image.h"
#include "program.h"

#include <string.h>

int gm_run_to_end(gm_session *session)
{
    int status;
    do {
        status = gm_run(session, UINT32_MAX);
    } while (status == GM_AGAIN);
    return status;
}

static GM_COLD GM_CALLED int run_whole(gm_session *session, uint32_t program, float *loss)
{
    int status = gm_begin(session, program);
    if (status != GM_OK) {
        return status;
    }
    status = gm_run_to_end(session);
    if (status != GM_OK || loss == NULL) {
        return status;
    }
    return gm_loss(session, program, loss);
}

int gm_infer(gm_session *session)
{
    return run_whole(session, GM_PROGRAM_INFER, NULL);
}

int gm_eval_step(gm_session *session, float *loss)
{
    return run_whole(session, GM_PROGRAM_EVAL, loss);
}

int gm_train_step(gm_session *session, float *loss)
{
    return run_whole(session, GM_PROGRAM_TRAIN, loss);
}

int gm_optimizer_step(gm_session *session)
{
    return run_whole(session, GM_PROGRAM_OPTIMIZER, NULL);
}

/* The runtime divides the sum by the number of gradients, which is 1 meanwhile. */
int gm_optimizer_step_on_sum(gm_session *session)
{
    int status = gm_idle(session);
    if (status != GM_OK) {
        return status;
    }
    gm_control *control = gm_control_of(session);
    uint32_t count = control->accumulated;
    control->accumulated = count < 1 ? count : 1;
    status = gm_optimizer_step(session);
    control->accumulated = count;
    return status;
}

int gm_step(gm_session *session, float *loss)
{
    return run_whole(session, GM_PROGRAM_STEP, loss);
}

int gm_loss(const gm_session *session, uint32_t program, float *loss)
{
    gm_view view;
    if (loss == NULL) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    int status = gm_tensor_view(session, program, GM_ROLE_LOSS, 0, &view);
    if (status == GM_OK) {
        memcpy(loss, view.data, sizeof *loss);
    }
    return status;
}
