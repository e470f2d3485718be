/*
 * Sessions by number, for languages that cannot hold a gm_session: Java, C#, Swift, Objective-C.
 *
 *     int64_t handle = gm_handle_open(image, image_size, 1);   // copies the image, owns the arena
 *     gm_handle_write(handle, GM_ROLE_INPUT, 0, GM_DTYPE_F32, pixels, sizeof pixels);
 *     gm_handle_write(handle, GM_ROLE_LABEL, 0, GM_DTYPE_I32, labels, sizeof labels);
 *     gm_handle_run(handle, GM_PROGRAM_STEP, &loss);
 *     gm_handle_close(handle);
 *
 * Every call is safe with any handle, from any thread. A closed or invalid handle gives
 * GM_ERR_CLOSED. A second thread in a session gets GM_ERR_IN_USE, and the first one's call
 * continues undisturbed. Functions that return int return GM_OK, a negative gm_error or a negative
 * gm_handle_error. Only gm_handle_open() allocates memory.
 *
 * Unless a comment says otherwise, gm_handle_x() does what gm_x() of gradmote.h does.
 */
#ifndef GM_HANDLE_H
#define GM_HANDLE_H

#include "../../runtime_c/include/gradmote.h"
#include "generated/gm_handle_errors.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define GM_EXPORT __declspec(dllexport)
#else
#define GM_EXPORT __attribute__((visibility("default")))
#endif

/* Maximum number of open sessions. */
#define GM_HANDLES 4096

/* Maximum bytes of a name, with its terminating zero. Longer names are cut after a whole
 * character. */
#define GM_HANDLE_NAME 256

/* The values that gm_handle_get() and gm_handle_set() copy. */
enum gm_handle_values {
    GM_VALUES_PARAMETERS = 0, /* all parameters, in their order */
    GM_VALUES_PARAMETER = 1,  /* the index-th one */
    GM_VALUES_GRADIENT = 2,   /* the accumulated gradient of the index-th one; it cannot be set */
    GM_VALUES_DELTA = 3       /* the parameters' difference from the image's initial ones */
};

/* A tensor of an image. Stripped names are empty. */
typedef struct gm_handle_tensor {
    char name[GM_HANDLE_NAME];   /* UTF-8, zero-terminated */
    uint32_t programs;           /* bit p is set if program kind p has it; 0 for a parameter */
    uint32_t dtype;              /* gm_dtype_kind */
    uint32_t size;               /* bytes */
    uint32_t rank;
    uint32_t dims[GM_MAX_RANK];  /* unused ones are 1 */
} gm_handle_tensor;

/* The functions, rendered from spec/session.toml. */
#include "generated/gm_handle_functions.h"

#ifdef __cplusplus
}
#endif

#endif
