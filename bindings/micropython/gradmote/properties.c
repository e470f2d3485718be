/* Named numbers in the state. */
#include "errors.h"
#include "methods.h"
#include "values.h"

#if WITH_REST

#include <string.h>

static mp_obj_t value_of(const gm_property *property)
{
    float real;
    memcpy(&real, &property->value, sizeof real);
    return property->type == GM_PROPERTY_TYPE_F32 ? mp_obj_new_float_from_f(real)
                                                  : mp_obj_new_int((int32_t)property->value);
}

static int32_t i32_of(mp_obj_t value)
{
    int32_t number = (int32_t)mp_obj_get_int_truncated(value);
    if (mp_binary_op(MP_BINARY_OP_EQUAL, value, mp_obj_new_int(number)) != mp_const_true) {
        raise_data_error("the property does not fit 32 bits", "pass a float instead");
    }
    return number;
}

static int is_float(mp_obj_t value)
{
#if GRADMOTE_NATIVE
    return (const void *)mp_obj_get_type(value) == (const void *)mp_load_global(MP_QSTR_float);
#else
    return mp_obj_is_float(value);
#endif
}

static mp_obj_t set_property(mp_obj_t self_in, mp_obj_t key, mp_obj_t value)
{
    session_obj *self = opened(self_in);
    const char *name = text_of(key);
    int code = is_float(value) ? gm_property_set_f32(&self->session, name, mp_obj_get_float_to_f(value))
                               : gm_property_set_i32(&self->session, name, i32_of(value));
    check(code, "property");
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_3(set_property_obj, set_property);

static mp_obj_t get_property(mp_obj_t self, mp_obj_t key)
{
    gm_property found;
    check(gm_property_get(&opened(self)->session, text_of(key), &found), "property");
    return value_of(&found);
}
MP_DEFINE_CONST_FUN_OBJ_2(get_property_obj, get_property);

static mp_obj_t properties(mp_obj_t self_in)
{
    session_obj *self = opened(self_in);
    mp_obj_t dict = mp_obj_new_dict(0);
    gm_property found;
    for (uint32_t index = 0; gm_property_at(&self->session, index, &found) == GM_OK; ++index) {
        mp_obj_dict_store(dict, new_text((const char *)found.key), value_of(&found));
    }
    return dict;
}
MP_DEFINE_CONST_FUN_OBJ_1(properties_obj, properties);

static mp_obj_t remove_property(mp_obj_t self, mp_obj_t key)
{
    check(gm_property_remove(&opened(self)->session, text_of(key)), "property");
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_2(remove_property_obj, remove_property);

#endif
