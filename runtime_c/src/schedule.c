#include "schedule.h"

#include "compiler.h"

/* Returns the factor of update number `step`: step / warmup, then (total - step) / (total -
 * warmup), then 0. A phase without steps counts as one step, as in transformers'
 * get_linear_schedule_with_warmup. */
static float linear_factor(uint32_t step, uint32_t warmup, uint32_t total)
{
    if (step < warmup) {
        return (float)step / (float)warmup;
    }
    if (step >= total) {
        return 0.0f;
    }
    return (float)(total - step) / (float)(total - warmup);
}

void gm_advance_schedule(gm_control *control)
{
    if (control->schedule == GM_SCHEDULE_LINEAR) {
        uint32_t step = control->optimizer_steps - control->schedule_start;
        control->learning_rate =
            control->base_learning_rate * linear_factor(step, control->warmup_steps, control->total_steps);
    }
}
