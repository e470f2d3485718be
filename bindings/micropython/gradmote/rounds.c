/* Rounds of federated learning. */
#include "errors.h"
#include "methods.h"
#include "parameters.h"
#include "values.h"

#if WITH_REST

#include <string.h>

/* Returns an argument by its name or position, or MP_OBJ_NULL if it was not given. */
static mp_obj_t argument(size_t n_args, const mp_obj_t *args, mp_map_t *named, size_t position, qstr name)
{
    for (size_t i = 0; i < named->alloc; ++i) {
        if (named->table[i].key == MP_OBJ_NEW_QSTR(name)) {
            return named->table[i].value;
        }
    }
    return n_args > position ? args[position] : MP_OBJ_NULL;
}

static uint32_t number_argument(size_t n_args, const mp_obj_t *args, mp_map_t *named, size_t position, qstr name,
                                uint32_t otherwise)
{
    mp_obj_t value = argument(n_args, args, named, position, name);
    return value == MP_OBJ_NULL ? otherwise : u32_of(value);
}

static uint32_t checked_bits(uint32_t bits)
{
    if (bits != 2 && bits != 4 && bits != 8) {
        raise_data_error("a delta cannot have that many bits", "use one of 2, 4, 8");
    }
    return bits;
}

/* Returns whether a name matches a pattern, in which * is any text and ? any letter. */
static int matches(const char *name, const char *pattern)
{
    const char *star = NULL, *after = NULL;
    while (*name != '\0') {
        if (*pattern == '*') {
            star = ++pattern;
            after = name;
        } else if (*pattern == '?' || *pattern == *name) {
            ++pattern;
            ++name;
        } else if (star != NULL) {
            pattern = star;
            name = ++after;
        } else {
            return 0;
        }
    }
    while (*pattern == '*') {
        ++pattern;
    }
    return *pattern == '\0';
}

static void share_pattern(session_obj *self, uint8_t *mask, const char *pattern)
{
    int found = 0;
    gm_view view;
    for (uint32_t i = 0; gm_parameter(&self->session, i, &view) == GM_OK; ++i) {
        if (matches(text_of(parameter_name(&view, i)), pattern)) {
            mask[i / 8] |= (uint8_t)(1u << i % 8);
            found = 1;
        }
    }
    if (!found) {
        raise_data_error("no parameter has that name", "see parameter_names()");
    }
}

/* Returns a mask with bit i % 8 of byte i / 8 set if parameter i is sent, or NULL if all are.
 * shared: bytes of that form, as a host sends them, a pattern of names, or several patterns. */
static uint8_t *mask_of(session_obj *self, mp_obj_t shared)
{
    if (shared == MP_OBJ_NULL || shared == mp_const_none) {
        return NULL;
    }
    uint32_t size = (gm_parameter_count(&self->session) + 7) / 8;
    uint8_t *mask = allocate(size + 1);
    memset(mask, 0, size + 1);
    mp_buffer_info_t bytes;
    if (OBJECT_IS_STR(shared)) {
        share_pattern(self, mask, text_of(shared));
    } else if (mp_get_buffer(shared, &bytes, MP_BUFFER_READ)) {
        if (bytes.len != 0 && bytes.len != size) {
            raise_data_error("the choice of parameters has the wrong size", "give a bit for each parameter");
        }
        memcpy(mask, bytes.buf, bytes.len);
        return bytes.len != 0 ? mask : NULL;
    } else {
        uint32_t count = u32_of(mp_obj_len(shared));
        for (uint32_t i = 0; i < count; ++i) {
            mp_obj_t pattern = mp_obj_subscr(shared, mp_obj_new_int_from_uint(i), MP_OBJ_SENTINEL);
            share_pattern(self, mask, text_of(pattern));
        }
    }
    return mask;
}

static gm_federated_round round_of(const session_obj *self, uint32_t bits, uint32_t seed, const uint8_t *mask)
{
    gm_federated_round round = {self->base_of_round, mask, self->round, bits, seed, bits != 0};
    return round;
}

/* Returns a copy of the parameters. */
static uint8_t *parameters_now(session_obj *self)
{
    uint8_t *copy = allocate(self->needs.parameters_size + 1);
    gm_view view;
    check(gm_parameters(&self->session, &view), "parameters");
    memcpy(copy, view.data, view.size);
    return copy;
}

static mp_obj_t begin_round(mp_obj_t self_in, mp_obj_t number)
{
    session_obj *self = opened(self_in);
    uint32_t round = u32_of(number);
    self->base_of_round = round != 0 ? parameters_now(self) : NULL;
    self->round = round;
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_2(begin_round_obj, begin_round);

/* Returns the base of the round in the form of parameters(), or None for the image's initial
 * parameters. */
static mp_obj_t round_base(mp_obj_t self_in)
{
    const session_obj *self = opened(self_in);
    return self->base_of_round == NULL ? mp_const_none
                                       : mp_obj_new_bytes(self->base_of_round, self->needs.parameters_size);
}
MP_DEFINE_CONST_FUN_OBJ_1(round_base_obj, round_base);

/* round_delta(bits=4, seed=0, shared=None) */
static mp_obj_t round_delta(size_t n_args, const mp_obj_t *args, mp_map_t *named)
{
    session_obj *self = opened(args[0]);
    uint32_t bits = checked_bits(number_argument(n_args, args, named, 1, MP_QSTR_bits, 4));
    uint32_t seed = number_argument(n_args, args, named, 2, MP_QSTR_seed, 0);
    uint8_t *mask = mask_of(self, argument(n_args, args, named, 3, MP_QSTR_shared));
    gm_federated_round round = round_of(self, bits, seed, mask);
    uint32_t size = gm_round_delta_size(&self->session, &round);
    uint8_t *out = allocate(size + 1);
    check(gm_round_delta_part(&self->session, &round, 0, out, size), "round_delta");
    return mp_obj_new_bytes(out, size);
}
MP_DEFINE_CONST_FUN_OBJ_KW(round_delta_obj, 1, round_delta);

/* Returns a copy of a delta's bytes, because the caller's may be unaligned. */
static uint8_t *delta_of(mp_obj_t data, size_t *size)
{
    mp_buffer_info_t bytes;
    mp_get_buffer_raise(data, &bytes, MP_BUFFER_READ);
    uint8_t *copy = allocate(bytes.len + 1);
    memcpy(copy, bytes.buf, bytes.len);
    *size = bytes.len;
    return copy;
}

static mp_obj_t check_delta(mp_obj_t self_in, mp_obj_t data)
{
    session_obj *self = opened(self_in);
    size_t size;
    uint8_t *delta = delta_of(data, &size);
    gm_federated_round round = round_of(self, 0, 0, NULL);
    check(gm_round_check(&self->session, &round, delta, size), "check_delta");
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_2(check_delta_obj, check_delta);

/* end_round(delta, bits=0, seed=0). If a loss is kept, the delta is applied twice: once for the
 * base, which does not include the loss. */
static mp_obj_t end_round(size_t n_args, const mp_obj_t *args, mp_map_t *named)
{
    session_obj *self = opened(args[0]);
    size_t size;
    uint8_t *delta = delta_of(args[1], &size), *trained = parameters_now(self);
    uint32_t bits = number_argument(n_args, args, named, 2, MP_QSTR_bits, 0);
    uint32_t seed = number_argument(n_args, args, named, 3, MP_QSTR_seed, 0);
    gm_federated_round round = round_of(self, 0, seed, NULL);
    gm_federated_round with_loss = round_of(self, bits != 0 ? checked_bits(bits) : 0, seed, NULL);
    check(gm_round_apply(&self->session, &round, delta, size), "end_round");
    uint8_t *base = parameters_now(self);
    if (bits != 0) {
        check(gm_set_parameters(&self->session, trained, self->needs.parameters_size), "end_round");
        check(gm_round_apply(&self->session, &with_loss, delta, size), "end_round");
    }
    self->base_of_round = base;
    self->round += 1;
    return mp_obj_new_int_from_uint(self->round);
}
MP_DEFINE_CONST_FUN_OBJ_KW(end_round_obj, 2, end_round);

#endif
