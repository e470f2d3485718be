/* Arguments and results: numbers, texts, arrays and memoryviews between Python and C. */
#include "values.h"
#include "errors.h"

#include <string.h>

session_obj *opened(mp_obj_t self_in)
{
    session_obj *self = MP_OBJ_TO_PTR(self_in);
    if (!self->is_open) {
        raise_error("the session is closed", "open another one");
    }
    if (self->is_torn) {
        self->is_torn = 0;
        (void)gm_reset(&self->session);
    }
    return self;
}

/* In a native module m_malloc() is inline code with a text. */
void *allocate(size_t size)
{
    return m_malloc(size);
}

uint32_t u32_of(mp_obj_t value)
{
    uint32_t number = (uint32_t)mp_obj_get_int_truncated(value);
    if (mp_binary_op(MP_BINARY_OP_EQUAL, value, mp_obj_new_int_from_uint(number)) != mp_const_true) {
        raise_data_error("a number is out of range", "it must be in 0 .. 4294967295");
    }
    return number;
}

/* MicroPython's strings end with a zero byte. */
const char *text_of(mp_obj_t value)
{
    size_t length;
    const char *text = mp_obj_str_get_data(value, &length);
    if (memchr(text, 0, length) != NULL) {
        raise_data_error("a text has a zero byte", "leave it out");
    }
    return text;
}

/* A map of keywords is a plain table. */
mp_obj_t optional(size_t n_args, const mp_obj_t *args, mp_map_t *named, size_t position, qstr name)
{
    mp_arg_check_num(n_args, 0, 1, position + 1, false);
    if (named->used == 0) {
        return n_args > position ? args[position] : MP_OBJ_NULL;
    }
    if (named->used > 1 || n_args > position || named->table[0].key != MP_OBJ_NEW_QSTR(name)) {
        raise_error("a method was given an argument that it does not take", "leave it out");
    }
    return named->table[0].value;
}

void store_named(mp_obj_t dict, qstr name, mp_obj_t value)
{
    mp_obj_dict_store(dict, MP_OBJ_NEW_QSTR(name), value);
}

uint32_t program_of(mp_obj_t name)
{
    static const char names[GM_PROGRAM_COUNT][10] = {"infer", "eval", "train", "optimizer", "step"};
    const char *text = text_of(name);
    for (uint32_t kind = 0; kind < GM_PROGRAM_COUNT; ++kind) {
        if (strcmp(text, names[kind]) == 0) {
            return kind;
        }
    }
    raise_error("there is no such program", "use one of infer, eval, train, optimizer, step");
}

#if GRADMOTE_NATIVE

static mp_obj_array_t *new_memoryview(char typecode, size_t count, void *items)
{
    mp_obj_t bytes = mp_obj_new_bytearray_by_ref(1, items);
    mp_obj_t view = mp_call_function_n_kw(mp_load_global(MP_QSTR_memoryview), 1, 0, &bytes);
    mp_obj_array_t *array = MP_OBJ_TO_PTR(view);
    array->typecode = (uint8_t)typecode | MP_OBJ_ARRAY_TYPECODE_FLAG_RW;
    array->len = count;
    return array;
}

#else

static mp_obj_array_t *new_memoryview(char typecode, size_t count, void *items)
{
    return MP_OBJ_TO_PTR(mp_obj_new_memoryview((byte)typecode | MP_OBJ_ARRAY_TYPECODE_FLAG_RW, count, items));
}

#endif

/* The collector follows only pointers to the start of a block, so the view has that, and an
 * offset. */
mp_obj_t new_view(session_obj *self, void *data, uint32_t size, uint32_t dtype)
{
    element each = element_of(dtype);
    mp_obj_array_t *view = new_memoryview(each.typecode, size / each.width, self->memory);
    view->free = (size_t)((uint8_t *)data - self->memory) / each.width;
    return MP_OBJ_FROM_PTR(view);
}

mp_obj_t new_copy(const void *data, uint32_t size, uint32_t dtype)
{
    element each = element_of(dtype);
    void *copy = allocate(size);
    memcpy(copy, data, size);
    return MP_OBJ_FROM_PTR(new_memoryview(each.typecode, size / each.width, copy));
}
