/* The class Session: opening, closing, attributes, requirements. */
#include "session_class.h"
#include "data.h"
#include "errors.h"
#include "methods.h"
#include "results.h"
#include "values.h"

#include <string.h>

/* ---- Opening ---------------------------------------------------------------------------------- */

static void *aligned(void *memory)
{
    return (void *)(((uintptr_t)memory + ARENA_ALIGNMENT - 1) & ~(uintptr_t)(ARENA_ALIGNMENT - 1));
}

/* Returns the image's bytes: in place if they are aligned and read-only, as in flash, else a copy.
 * image: the object that keeps them alive. */
static const void *image_in_place(mp_obj_t *image, size_t *size)
{
    mp_buffer_info_t given, writable;
    mp_get_buffer_raise(*image, &given, MP_BUFFER_READ);
    *size = given.len;
    if (!mp_get_buffer(*image, &writable, MP_BUFFER_WRITE) && aligned(given.buf) == given.buf) {
        return given.buf;
    }
    uint8_t *copy = allocate(given.len + ARENA_ALIGNMENT - 1);
    *image = mp_obj_new_bytearray_by_ref(given.len + ARENA_ALIGNMENT - 1, copy);
    return memcpy(aligned(copy), given.buf, given.len);
}

#if GM_FUSED
static const char profile_name[] = "fused";
#else
static const char profile_name[] = "strict";
#endif

/* Scripts for CPython may pass profile and threads. Here they are fixed by the build. */
static void check_options(size_t n_args, const mp_obj_t *args)
{
    if (n_args > 1 && strcmp(text_of(args[1]), profile_name) != 0) {
        raise_error("this module has the other profile", "leave the argument out; session.profile has it");
    }
    if (n_args > 2 && u32_of(args[2]) != 1) {
        raise_error("this module has one thread", "leave the argument out");
    }
}

/* Session(image, profile, threads), also with these keywords. */
static size_t positional(size_t n_args, size_t n_kw, const mp_obj_t *args, mp_obj_t *out)
{
    size_t count = n_args;
    mp_arg_check_num(n_args, n_kw, 1, 3, true);
    memcpy(out, args, n_args * sizeof *out);
    for (size_t i = 0; i < n_kw; ++i) {
        const char *name = text_of(args[n_args + 2 * i]);
        size_t index = strcmp(name, "profile") == 0 ? 1 : strcmp(name, "threads") == 0 ? 2 : 3;
        if (index < n_args || index > 2) {
            raise_error("Session() takes image, profile and threads", "leave the other argument out");
        }
        for (; count <= index; ++count) {
            out[count] = count == 1 ? new_text(profile_name) : MP_OBJ_NEW_SMALL_INT(1);
        }
        out[index] = args[n_args + 2 * i + 1];
    }
    return count;
}

static void open_session(session_obj *self, mp_obj_t image)
{
    size_t size;
    const void *bytes = image_in_place(&image, &size);
    self->image = image;
    check(gm_required(bytes, size, &self->needs), "image");
    check(self->needs.arena_size > 1u << 30 ? GM_ERR_BAD_REGION : GM_OK, "image"); /* the code of gm_open() */
    self->memory = allocate(self->needs.arena_size + ARENA_ALIGNMENT - 1);
    memset(self->memory, 0, self->needs.arena_size + ARENA_ALIGNMENT - 1);
    check(gm_open(&self->session, bytes, size, aligned(self->memory), self->needs.arena_size), "open");
    self->is_open = 1;
}

mp_obj_t session_make_new(const mp_obj_type_t *type, size_t n_args, size_t n_kw, const mp_obj_t *args)
{
    mp_obj_t given[3];
    check_options(positional(n_args, n_kw, args, given), given);
    session_obj *self = allocate(sizeof *self);
    memset(self, 0, sizeof *self);
    self->base.type = type;
    open_session(self, given[0]);
    prepare_result(self);
    return MP_OBJ_FROM_PTR(self);
}

static mp_obj_t reset(mp_obj_t self)
{
    check(gm_reset(&opened(self)->session), "reset");
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_1(reset_obj, reset);

/* Views keep the arena alive; the collector frees it after the last of them. */
static mp_obj_t end(mp_obj_t self_in)
{
    session_obj *self = MP_OBJ_TO_PTR(self_in);
    if (self->is_open) {
        gm_close(&self->session);
        self->is_open = 0;
        self->image = mp_const_none;
        self->memory = NULL;
        self->session.arena = NULL;
        self->session.image = NULL;
    }
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_1(close_obj, end);

static mp_obj_t enter(mp_obj_t self)
{
    return self;
}
MP_DEFINE_CONST_FUN_OBJ_1(enter_obj, enter);

static mp_obj_t leave(size_t n_args, const mp_obj_t *args)
{
    (void)n_args;
    return end(args[0]);
}
MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(exit_obj, 4, 4, leave);

/* ---- Attributes ------------------------------------------------------------------------------- */

static mp_obj_t get_learning_rate(const session_obj *self)
{
    return mp_obj_new_float_from_f(gm_learning_rate(&self->session));
}

static void get_attr(mp_obj_t self, qstr attr, mp_obj_t *out)
{
    if (attr == MP_QSTR_profile) {
        out[0] = new_text(profile_name);
    } else if (attr == MP_QSTR_learning_rate) {
        out[0] = get_learning_rate(opened(self));
    } else if (attr == MP_QSTR_skipped_steps) {
        out[0] = mp_obj_new_int_from_uint(gm_control_view(&opened(self)->session)->skipped_steps);
    } else if (attr == MP_QSTR_instructions) {
        out[0] = mp_obj_new_int_from_uint(opened(self)->session.instructions);
#if WITH_REST
    } else if (attr == MP_QSTR_round) {
        out[0] = mp_obj_new_int_from_uint(opened(self)->round);
#endif
    } else {
        out[1] = MP_OBJ_SENTINEL; /* look among the methods */
    }
}

void session_attr(mp_obj_t self, qstr attr, mp_obj_t *out)
{
    if (out[0] == MP_OBJ_NULL) {
        get_attr(self, attr, out);
    } else if (attr == MP_QSTR_learning_rate && out[1] != MP_OBJ_NULL) {
        float rate = mp_obj_get_float_to_f(out[1]);
        check(gm_set_learning_rate(&opened(self)->session, rate), "learning rate");
        out[0] = MP_OBJ_NULL;
    }
}

#if WITH_REST

static mp_obj_t program_names(uint32_t bits)
{
    static const char names[GM_PROGRAM_COUNT][10] = {"infer", "eval", "train", "optimizer", "step"};
    mp_obj_t list = mp_obj_new_list(0, NULL);
    for (uint32_t kind = 0; kind < GM_PROGRAM_COUNT; ++kind) {
        if ((bits >> kind & 1u) != 0) {
            mp_obj_list_append(list, new_text(names[kind]));
        }
    }
    return list;
}

static mp_obj_t new_requirements(const gm_requirements *needs)
{
    mp_obj_t dict = mp_obj_new_dict(6);
    store_named(dict, MP_QSTR_arena_size, mp_obj_new_int_from_uint(needs->arena_size));
    store_named(dict, MP_QSTR_state_size, mp_obj_new_int_from_uint(needs->state_size));
    store_named(dict, MP_QSTR_parameters_size, mp_obj_new_int_from_uint(needs->parameters_size));
    store_named(dict, MP_QSTR_gradients_size, mp_obj_new_int_from_uint(needs->gradients_size));
    store_named(dict, MP_QSTR_batch, mp_obj_new_int_from_uint(needs->batch));
    store_named(dict, MP_QSTR_programs, program_names(needs->programs));
    return dict;
}

static mp_obj_t required(mp_obj_t image)
{
    size_t size;
    gm_requirements needs;
    const void *bytes = image_in_place(&image, &size);
    check(gm_required(bytes, size, &needs), "image");
    check(needs.arena_size > 1u << 30 ? GM_ERR_BAD_REGION : GM_OK, "image");
    return new_requirements(&needs);
}
MP_DEFINE_CONST_FUN_OBJ_1(required_obj, required);

static mp_obj_t requirements(mp_obj_t self)
{
    return new_requirements(&((session_obj *)MP_OBJ_TO_PTR(self))->needs);
}
MP_DEFINE_CONST_FUN_OBJ_1(requirements_obj, requirements);

static unsigned parameter_elements(const session_obj *self)
{
    const gm_section *table = &self->session.header->sections[GM_SECTION_STATE];
    const gm_state_entry *entry = (const gm_state_entry *)(const void *)(self->session.image + table->offset);
    unsigned elements = 0;
    for (uint32_t left = gm_parameter_count(&self->session); left > 0; --left, ++entry) {
        elements += (unsigned)(entry->size / element_of(entry->dtype).width);
    }
    return elements;
}

/* As on CPython, without the scheme: "<Session: 4 parameters, 20416 bytes of arena, 0 steps>". */
void session_print(const mp_print_t *print, mp_obj_t self_in, mp_print_kind_t kind)
{
    const session_obj *self = MP_OBJ_TO_PTR(self_in);
    (void)kind;
    if (!self->is_open) {
        mp_printf(print, "<Session: closed>");
        return;
    }
    unsigned steps = (unsigned)gm_control_view(&self->session)->train_steps;
    mp_printf(print, "<Session: %u parameters in %u tensors, arena %u bytes, %u steps, %s>", parameter_elements(self),
              (unsigned)gm_parameter_count(&self->session), (unsigned)self->needs.arena_size, steps, profile_name);
}

static void poison_bytes(uint8_t *at, const uint8_t *end)
{
    const uint32_t quiet_nan = 0x7FC00000u;
    for (; at < end; at += sizeof quiet_nan) {
        memcpy(at, &quiet_nan, sizeof quiet_nan);
    }
}

/* Returns the next input or label in the scratch region, which poison() must not change. */
static const gm_tensor *next_kept(const session_obj *self, uint32_t from)
{
    const gm_tensor *next = NULL, *tensor;
    for (uint32_t role = GM_ROLE_INPUT; role <= GM_ROLE_LABEL; ++role) {
        for (uint32_t i = 0; (tensor = find_tensor(self, role, 0xFFFFFFFFu, i)) != NULL; ++i) {
            if (tensor->offset >= from && (next == NULL || tensor->offset < next->offset)) {
                next = tensor;
            }
        }
    }
    return next;
}

static mp_obj_t poison(mp_obj_t self_in)
{
    session_obj *self = opened(self_in);
    uint8_t *arena = self->session.arena;
    uint32_t at = self->session.header->scratch_offset;
    const gm_tensor *kept;
    while ((kept = next_kept(self, at)) != NULL) {
        poison_bytes(arena + at, arena + kept->offset);
        at = kept->offset + kept->size;
    }
    poison_bytes(arena + at, arena + self->needs.arena_size);
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_1(poison_obj, poison);

#endif
