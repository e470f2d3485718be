/* Arrays in numpy's .npy files, versions 1 and 2: little-endian, in C order. */
#ifndef NPY_H
#define NPY_H

#include <stddef.h>
#include <stdint.h>

#include "../files.h"

#define NPY_RANK_LIMIT 8u

enum npy_dtype { NPY_F32, NPY_I32, NPY_I64, NPY_U8, NPY_I8, NPY_I16, NPY_DTYPE_COUNT };

typedef struct npy_array {
    const char *path;
    enum npy_dtype dtype;
    uint32_t rank;
    uint64_t dims[NPY_RANK_LIMIT];
    const uint8_t *data; /* of any alignment */
    uint64_t count;      /* elements in all */
} npy_array;

uint32_t npy_item_size(enum npy_dtype dtype);
/* Returns the dtype as numpy writes it: "<f4". */
const char *npy_descr(enum npy_dtype dtype);

/* Maps and checks a file. Exits if it does not hold such an array. */
npy_array npy_read(const char *path);

/* Writes the header of an array, byte for byte as numpy does. Returns 0, or -1 with errno set. */
int npy_write_header(replacement *to, enum npy_dtype dtype, uint32_t rank, const uint64_t *dims);

#endif
