/* Learning rate, schedule, seed, and the counters of a training. */
#include "errors.h"
#include "methods.h"
#include "values.h"

static mp_obj_t set_linear_schedule(size_t n_args, const mp_obj_t *args)
{
    session_obj *self = opened(args[0]);
    float rate = mp_obj_get_float_to_f(args[1]);
    (void)n_args;
    check(gm_set_linear_schedule(&self->session, rate, u32_of(args[2]), u32_of(args[3])), "schedule");
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(set_linear_schedule_obj, 4, 4, set_linear_schedule);

static mp_obj_t set_seed(mp_obj_t self, mp_obj_t seed)
{
    check(gm_set_seed(&opened(self)->session, u32_of(seed)), "set_seed");
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_2(set_seed_obj, set_seed);

#if WITH_REST

static mp_obj_t schedule_name(uint32_t kind)
{
    return new_text(kind == GM_SCHEDULE_CONSTANT ? "constant" : kind == GM_SCHEDULE_LINEAR ? "linear" : "unknown");
}

static mp_obj_t control(mp_obj_t self)
{
    const gm_control *now = gm_control_view(&opened(self)->session);
    mp_obj_t dict = mp_obj_new_dict(12);
    store_named(dict, MP_QSTR_train_steps, mp_obj_new_int_from_uint(now->train_steps));
    store_named(dict, MP_QSTR_seed, mp_obj_new_int_from_uint(now->seed));
    store_named(dict, MP_QSTR_optimizer_steps, mp_obj_new_int_from_uint(now->optimizer_steps));
    store_named(dict, MP_QSTR_accumulated, mp_obj_new_int_from_uint(now->accumulated));
    store_named(dict, MP_QSTR_learning_rate, mp_obj_new_float_from_f(now->learning_rate));
    store_named(dict, MP_QSTR_base_learning_rate, mp_obj_new_float_from_f(now->base_learning_rate));
    store_named(dict, MP_QSTR_schedule, schedule_name(now->schedule));
    store_named(dict, MP_QSTR_warmup_steps, mp_obj_new_int_from_uint(now->warmup_steps));
    store_named(dict, MP_QSTR_total_steps, mp_obj_new_int_from_uint(now->total_steps));
    store_named(dict, MP_QSTR_gradient_scale, mp_obj_new_float_from_f(now->gradient_scale));
    store_named(dict, MP_QSTR_skipped_steps, mp_obj_new_int_from_uint(now->skipped_steps));
    store_named(dict, MP_QSTR_schedule_start, mp_obj_new_int_from_uint(now->schedule_start));
    return dict;
}
MP_DEFINE_CONST_FUN_OBJ_1(control_obj, control);

#endif
