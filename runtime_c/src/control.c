/* The control record: learning rate and seed, which are part of the state. */
#include <float.h>

#include "image.h"
#include "program.h"
#include "schedule.h"
#include "sound_state.h"

static int check_rate(const gm_session *session, float rate)
{
    int status = gm_idle(session);
    if (status != GM_OK) {
        return status;
    }
    return rate >= 0.0f && rate <= FLT_MAX ? GM_OK : GM_ERR_INVALID_ARGUMENT; /* NaN fails both */
}

float gm_learning_rate(const gm_session *session)
{
    const gm_control *control = gm_control_view(session);
    return control == NULL ? 0.0f : control->learning_rate;
}

int gm_set_learning_rate(gm_session *session, float rate)
{
    int status = check_rate(session, rate);
    if (status == GM_OK) {
        gm_control *control = gm_control_of(session);
        control->schedule = GM_SCHEDULE_CONSTANT;
        control->base_learning_rate = rate;
        control->learning_rate = rate;
        session->proven &= GM_PROVEN_STATE;
    }
    return status;
}

int gm_set_linear_schedule(gm_session *session, float rate, uint32_t warmup_steps, uint32_t total_steps)
{
    int status = check_rate(session, rate);
    if (status != GM_OK) {
        return status;
    }
    if (total_steps == 0 || warmup_steps > total_steps) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    gm_control *control = gm_control_of(session);
    control->schedule = GM_SCHEDULE_LINEAR;
    control->base_learning_rate = rate;
    control->warmup_steps = warmup_steps;
    control->total_steps = total_steps;
    control->schedule_start = control->optimizer_steps;
    gm_advance_schedule(control);
    session->proven &= GM_PROVEN_STATE;
    return GM_OK;
}

const gm_control *gm_control_view(const gm_session *session)
{
    return session == NULL || session->header == NULL ? NULL : gm_control_of(session);
}

int gm_set_seed(gm_session *session, uint32_t seed)
{
    int status = gm_idle(session);
    if (status == GM_OK) {
        gm_control_of(session)->seed = seed;
        gm_control_of(session)->train_steps = 0; /* the random generator counts by it */
    }
    return status;
}
