#include "training/autosave.h"

#include "console_spec.h"
#include "storage/slots.h"

#define KEY "save_every"

uint32_t autosave_every(const model *m)
{
    gm_property found;
    if (m->status || gm_property_get(&m->session, KEY, &found) != GM_OK) {
        return 0;
    }
    return found.type == GM_PROPERTY_TYPE_I32 && found.value <= INT32_MAX ? found.value : 0;
}

int autosave_set(model *m, uint32_t every)
{
    if (m->status) {
        return m->status;
    }
    if (every > INT32_MAX) {
        return CONSOLE_ERR_BAD_ARGUMENT;
    }
    if (every == 0) {
        int error = gm_property_remove(&m->session, KEY);
        return error == GM_ERR_NOT_FOUND ? 0 : error;
    }
    return slots_count(&m->session) < 2 ? CONSOLE_ERR_TOO_LARGE : gm_property_set_i32(&m->session, KEY, (int32_t)every);
}

int autosave_updated(autosave *a, model *m)
{
    uint32_t every = autosave_every(m);
    if (every == 0 || gm_control_view(&m->session)->optimizer_steps % every != 0) {
        return 0;
    }
    int before = a->error;
    a->error = model_save(m);
    if (a->error == 0) {
        ++a->saves;
        return AUTOSAVE_KEPT;
    }
    return a->error == before ? 0 : a->error;
}
