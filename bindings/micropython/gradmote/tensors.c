/* A model's inputs, labels and outputs, and views of them. */
#include "data.h"
#include "errors.h"
#include "methods.h"
#include "values.h"

#define ALL_PROGRAMS 0xFFFFFFFFu

/* samples: as for size_of_samples(). */
static mp_obj_t view_of(session_obj *self, const gm_tensor *tensor, uint32_t samples)
{
    uint32_t size = size_of_samples(self, tensor, samples);
    return new_view(self, self->session.arena + tensor->offset, size, tensor->dtype);
}

static mp_obj_t set_input(mp_obj_t self_in, mp_obj_t index, mp_obj_t data)
{
    session_obj *self = opened(self_in);
    (void)pick_tensor(self, GM_ROLE_INPUT, index);
    write_tensor(self, GM_ROLE_INPUT, u32_of(index), data);
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_3(set_input_obj, set_input);

static mp_obj_t set_label(mp_obj_t self_in, mp_obj_t index, mp_obj_t data)
{
    session_obj *self = opened(self_in);
    (void)pick_tensor(self, GM_ROLE_LABEL, index);
    write_tensor(self, GM_ROLE_LABEL, u32_of(index), data);
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_3(set_label_obj, set_label);

static mp_obj_t writable_view(mp_obj_t self_in, uint32_t role, mp_obj_t index)
{
    session_obj *self = opened(self_in);
    const gm_tensor *tensor = pick_tensor(self, role, index);
    mark_whole(self, role, u32_of(index));
    return view_of(self, tensor, 0);
}

static mp_obj_t input_view(mp_obj_t self, mp_obj_t index)
{
    return writable_view(self, GM_ROLE_INPUT, index);
}
MP_DEFINE_CONST_FUN_OBJ_2(input_view_obj, input_view);

static mp_obj_t label_view(mp_obj_t self, mp_obj_t index)
{
    return writable_view(self, GM_ROLE_LABEL, index);
}
MP_DEFINE_CONST_FUN_OBJ_2(label_view_obj, label_view);

static mp_obj_t output(size_t n_args, const mp_obj_t *args, mp_map_t *named)
{
    session_obj *self = opened(args[0]);
    mp_obj_t name = optional(n_args, args, named, 2, MP_QSTR_program);
    uint32_t program = name != MP_OBJ_NULL ? program_of(name) : GM_PROGRAM_INFER;
    const gm_tensor *tensor = find_tensor(self, GM_ROLE_OUTPUT, 1u << program, u32_of(args[1]));
    if (tensor == NULL) {
        raise_data_error("there is no output with that index", "outputs() lists those of a program, from 0");
    }
    return view_of(self, tensor, samples_made(self, tensor));
}
MP_DEFINE_CONST_FUN_OBJ_KW(output_obj, 2, output);

#if WITH_REST

static mp_obj_t shape_of(const gm_tensor *tensor)
{
    mp_obj_t dims[GM_MAX_RANK];
    for (uint32_t axis = 0; axis < tensor->rank; ++axis) {
        dims[axis] = mp_obj_new_int_from_uint(tensor->dims[axis]);
    }
    return mp_obj_new_tuple(tensor->rank, dims);
}

/* programs: a bit for each. */
static mp_obj_t programs_of(uint32_t programs)
{
    static const char names[GM_PROGRAM_COUNT][10] = {"infer", "eval", "train", "optimizer", "step"};
    mp_obj_t list = mp_obj_new_list(0, NULL);
    for (uint32_t kind = 0; kind < GM_PROGRAM_COUNT; ++kind) {
        if ((programs >> kind & 1u) != 0) {
            mp_obj_list_append(list, new_text(names[kind]));
        }
    }
    return list;
}

static mp_obj_t name_of(const session_obj *self, const gm_tensor *tensor)
{
    const char *names = (const char *)self->session.image + self->session.header->sections[GM_SECTION_NAMES].offset;
    return tensor->name == GM_NONE ? mp_const_none : new_text(names + tensor->name);
}

static mp_obj_t describe(const session_obj *self, const gm_tensor *tensor)
{
    mp_obj_t dict = mp_obj_new_dict(7);
    store_named(dict, MP_QSTR_name, name_of(self, tensor));
    store_named(dict, MP_QSTR_dtype, new_text(element_of(tensor->dtype).name));
    store_named(dict, MP_QSTR_shape, shape_of(tensor));
    store_named(dict, MP_QSTR_size, mp_obj_new_int_from_uint(tensor->size));
    store_named(dict, MP_QSTR_programs, programs_of(tensor->programs));
    store_named(dict, MP_QSTR_rows_in, programs_of(tensor->programs >> GM_PROGRAM_COUNT));
    store_named(dict, MP_QSTR_lasts, mp_obj_new_bool(tensor->offset < self->session.header->scratch_offset));
    return dict;
}

static mp_obj_t describe_all(mp_obj_t self_in, uint32_t role, uint32_t programs)
{
    const session_obj *self = opened(self_in);
    mp_obj_t list = mp_obj_new_list(0, NULL);
    const gm_tensor *tensor;
    for (uint32_t index = 0; (tensor = find_tensor(self, role, programs, index)) != NULL; ++index) {
        mp_obj_list_append(list, describe(self, tensor));
    }
    return list;
}

static mp_obj_t inputs(mp_obj_t self)
{
    return describe_all(self, GM_ROLE_INPUT, ALL_PROGRAMS);
}
MP_DEFINE_CONST_FUN_OBJ_1(inputs_obj, inputs);

static mp_obj_t labels(mp_obj_t self)
{
    return describe_all(self, GM_ROLE_LABEL, ALL_PROGRAMS);
}
MP_DEFINE_CONST_FUN_OBJ_1(labels_obj, labels);

static mp_obj_t outputs(size_t n_args, const mp_obj_t *args, mp_map_t *named)
{
    mp_obj_t name = optional(n_args, args, named, 1, MP_QSTR_program);
    uint32_t program = name != MP_OBJ_NULL ? program_of(name) : GM_PROGRAM_INFER;
    return describe_all(args[0], GM_ROLE_OUTPUT, 1u << program);
}
MP_DEFINE_CONST_FUN_OBJ_KW(outputs_obj, 1, outputs);

#endif
