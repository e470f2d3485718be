/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef DTYPES_H
#define DTYPES_H

#include <stdint.h>

/* Elements of tensors: the typecode of the module array, their bytes and their name, by gm_dtype_kind. */
typedef struct element {
    char typecode;
    uint8_t width;
    char name[8];
} element;

static inline element element_of(uint32_t dtype)
{
    switch (dtype) {
    case GM_DTYPE_F32: return (element){'f', 4, "float32"};
    case GM_DTYPE_I32: return (element){'i', 4, "int32"};
    case GM_DTYPE_I8: return (element){'b', 1, "int8"};
    case GM_DTYPE_U8: return (element){'B', 1, "uint8"};
    default: return (element){'h', 2, "int16"};
    }
}

/* Names of gm_store_dtype_kind. */
static inline const char *store_dtype_name(uint32_t dtype)
{
    switch (dtype) {
    case GM_STORE_DTYPE_INT8: return "int8";
    case GM_STORE_DTYPE_F32: return "f32";
    default: return "bytes";
    }
}

#endif
