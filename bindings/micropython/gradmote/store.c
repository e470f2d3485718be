/* The sample store: teaching by hand. */
#include "data.h"
#include "errors.h"
#include "methods.h"
#include "results.h"
#include "values.h"

#if WITH_REST && GM_WITH_STORE

static gm_store_info info_of(const session_obj *self)
{
    gm_store_info info;
    check(gm_store_view(&self->session, &info), "store");
    return info;
}

static mp_obj_t store(mp_obj_t self)
{
    gm_store_info info = info_of(opened(self));
    mp_obj_t dict = mp_obj_new_dict(5);
    store_named(dict, MP_QSTR_capacity, mp_obj_new_int_from_uint(info.capacity));
    store_named(dict, MP_QSTR_classes, mp_obj_new_int_from_uint(info.classes));
    store_named(dict, MP_QSTR_elements, mp_obj_new_int_from_uint(info.elements));
    store_named(dict, MP_QSTR_kept, mp_obj_new_int_from_uint(info.kept));
    store_named(dict, MP_QSTR_dtype, new_text(store_dtype_name(info.dtype)));
    return dict;
}
MP_DEFINE_CONST_FUN_OBJ_1(store_obj, store);

static mp_obj_t store_class(mp_obj_t self, mp_obj_t label)
{
    gm_store_class own;
    check(gm_store_class_view(&opened(self)->session, u32_of(label), &own), "store_class");
    mp_obj_t dict = mp_obj_new_dict(2);
    store_named(dict, MP_QSTR_seen, mp_obj_new_int_from_uint(own.seen));
    store_named(dict, MP_QSTR_kept, mp_obj_new_int_from_uint(own.kept));
    return dict;
}
MP_DEFINE_CONST_FUN_OBJ_2(store_class_obj, store_class);

/* learn(label, sample): without a sample, it takes the first one of the input. */
static mp_obj_t learn(size_t n_args, const mp_obj_t *args, mp_map_t *named)
{
    session_obj *self = opened(args[0]);
    mp_obj_t sample = optional(n_args, args, named, 2, MP_QSTR_sample);
    uint32_t label = u32_of(args[1]);
    if (sample != MP_OBJ_NULL && sample != mp_const_none) {
        const gm_tensor *input = find_tensor(self, GM_ROLE_INPUT, 0xFFFFFFFFu, 0);
        uint32_t size = element_of(input->dtype).width * info_of(self).elements;
        copy_elements(self->session.arena + input->offset, size, input->dtype, sample);
        mark_given(self, GM_ROLE_INPUT, 0);
    }
    require_first_input(self);
    check(gm_learn(&self->session, label), "learn");
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_KW(learn_obj, 2, learn);

static mp_obj_t replay(mp_obj_t self_in)
{
    session_obj *self = opened(self_in);
    float loss = 0;
    prepare_result(self);
    check(gm_replay(&self->session, &loss), "replay");
    mark_overwritten(self);
    return give_result(self, loss);
}
MP_DEFINE_CONST_FUN_OBJ_1(replay_obj, replay);

static mp_obj_t begin_replay(size_t n_args, const mp_obj_t *args, mp_map_t *named)
{
    session_obj *self = opened(args[0]);
    mp_obj_t name = optional(n_args, args, named, 1, MP_QSTR_program);
    uint32_t program = name != MP_OBJ_NULL ? program_of(name) : GM_PROGRAM_STEP;
    check(gm_begin_replay(&self->session, program), "begin_replay");
    mark_overwritten(self);
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_KW(begin_replay_obj, 1, begin_replay);

static mp_obj_t forget(mp_obj_t self, mp_obj_t label)
{
    check(gm_forget(&opened(self)->session, u32_of(label)), "forget");
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_2(forget_obj, forget);

static mp_obj_t score(mp_obj_t self_in, mp_obj_t label)
{
    session_obj *self = opened(self_in);
    uint32_t kept, right;
    check(gm_score(&self->session, u32_of(label), &kept, &right), "score");
    mark_overwritten(self);
    mp_obj_t found[] = {mp_obj_new_int_from_uint(kept), mp_obj_new_int_from_uint(right)};
    return mp_obj_new_tuple(2, found);
}
MP_DEFINE_CONST_FUN_OBJ_2(score_obj, score);

#endif
