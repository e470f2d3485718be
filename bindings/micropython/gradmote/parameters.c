/* Parameters, gradients and the state. */
#include "parameters.h"
#include "data.h"
#include "errors.h"
#include "methods.h"
#include "values.h"

#include <string.h>

static mp_obj_t state(mp_obj_t self_in)
{
    session_obj *self = opened(self_in);
    gm_view view;
    check(gm_state(&self->session, &view), "state");
    return new_view(self, view.data, view.size, GM_DTYPE_U8);
}
MP_DEFINE_CONST_FUN_OBJ_1(state_obj, state);

/* Returns float32 if all parameters have that dtype, else uint8: bytes, with each parameter at a
 * multiple of 4. */
static uint32_t common_dtype(session_obj *self)
{
    gm_view view;
    for (uint32_t index = 0; gm_parameter(&self->session, index, &view) == GM_OK; ++index) {
        if (view.dtype != GM_DTYPE_F32) {
            return GM_DTYPE_U8;
        }
    }
    return GM_DTYPE_F32;
}

static mp_obj_t parameters(mp_obj_t self_in)
{
    session_obj *self = opened(self_in);
    gm_view view;
    check(gm_parameters(&self->session, &view), "parameters");
    return new_view(self, view.data, view.size, common_dtype(self));
}
MP_DEFINE_CONST_FUN_OBJ_1(parameters_obj, parameters);

#if WITH_REST

static mp_obj_t view_of(session_obj *self, const gm_view *view)
{
    return new_view(self, view->data, view->size, view->dtype);
}

mp_obj_t parameter_name(const gm_view *view, uint32_t index)
{
    mp_obj_t number = mp_obj_new_int_from_uint(index);
    return view->name != NULL ? new_text(view->name)
                              : mp_call_function_n_kw(MP_OBJ_FROM_PTR(&mp_type_str), 1, 0, &number);
}

/* A parameter without a name is found by its index as text. */
static uint32_t index_named(session_obj *self, const char *name)
{
    uint32_t count = gm_parameter_count(&self->session);
    gm_view view;
    for (uint32_t index = 0; index < count; ++index) {
        check(gm_parameter(&self->session, index, &view), "parameter");
        if (strcmp(text_of(parameter_name(&view, index)), name) == 0) {
            return index;
        }
    }
    return count;
}

static uint32_t index_of(session_obj *self, mp_obj_t name_or_index)
{
    return OBJECT_IS_STR(name_or_index) ? index_named(self, text_of(name_or_index)) : u32_of(name_or_index);
}

static mp_obj_t parameter_names(mp_obj_t self_in)
{
    session_obj *self = opened(self_in);
    mp_obj_t list = mp_obj_new_list(0, NULL);
    gm_view view;
    for (uint32_t index = 0; index < gm_parameter_count(&self->session); ++index) {
        check(gm_parameter(&self->session, index, &view), "parameter");
        mp_obj_list_append(list, parameter_name(&view, index));
    }
    return list;
}
MP_DEFINE_CONST_FUN_OBJ_1(parameter_names_obj, parameter_names);

static mp_obj_t parameter(mp_obj_t self_in, mp_obj_t name_or_index)
{
    session_obj *self = opened(self_in);
    gm_view view;
    check(gm_parameter(&self->session, index_of(self, name_or_index), &view), "parameter");
    return view_of(self, &view);
}
MP_DEFINE_CONST_FUN_OBJ_2(parameter_obj, parameter);

static mp_obj_t gradient(mp_obj_t self_in, mp_obj_t name_or_index)
{
    session_obj *self = opened(self_in);
    gm_view view;
    check(gm_gradient(&self->session, index_of(self, name_or_index), &view), "gradient");
    return view_of(self, &view);
}
MP_DEFINE_CONST_FUN_OBJ_2(gradient_obj, gradient);

/* Returns a copy of data like that of parameters(), because the caller's bytes may be unaligned. */
static void *parameters_of(session_obj *self, mp_obj_t data)
{
    void *copy = allocate(self->needs.parameters_size + 1);
    copy_elements(copy, self->needs.parameters_size, common_dtype(self), data);
    return copy;
}

static mp_obj_t set_parameters(mp_obj_t self_in, mp_obj_t data)
{
    session_obj *self = opened(self_in);
    check(gm_set_parameters(&self->session, parameters_of(self, data), self->needs.parameters_size), "set_parameters");
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_2(set_parameters_obj, set_parameters);

static mp_obj_t delta(mp_obj_t self_in)
{
    session_obj *self = opened(self_in);
    uint32_t size = self->needs.parameters_size;
    float *out = allocate(size + 1);
    check(gm_delta(&self->session, out, size), "delta");
    return mp_obj_new_bytes((const byte *)out, size);
}
MP_DEFINE_CONST_FUN_OBJ_1(delta_obj, delta);

static mp_obj_t apply_delta(mp_obj_t self_in, mp_obj_t data)
{
    session_obj *self = opened(self_in);
    check(gm_apply_delta(&self->session, parameters_of(self, data), self->needs.parameters_size), "apply_delta");
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_2(apply_delta_obj, apply_delta);

static mp_obj_t call_method(mp_obj_t object, qstr name, size_t n_args, mp_obj_t arg)
{
    mp_obj_t call[3];
    mp_load_method(object, name, call);
    call[2] = arg;
    return mp_call_method_n_kw(n_args, 0, call);
}

/* Computes hashlib.sha256(state).digest().hex() with MicroPython's own hashlib. */
static mp_obj_t state_sha256(mp_obj_t self)
{
    mp_obj_t hashlib = mp_import_name(MP_QSTR_hashlib, mp_const_none, MP_OBJ_NEW_SMALL_INT(0));
    mp_obj_t hash = call_method(hashlib, MP_QSTR_sha256, 1, state(self));
    return call_method(call_method(hash, MP_QSTR_digest, 0, MP_OBJ_NULL), MP_QSTR_hex, 0, MP_OBJ_NULL);
}
MP_DEFINE_CONST_FUN_OBJ_1(state_sha256_obj, state_sha256);

#endif
