/* The struct of a Session. */
#ifndef SESSION_H
#define SESSION_H

#include "form.h"
#include "gradmote.h"

#include <string.h>

#include "../generated/dtypes.h"

#define ARENA_ALIGNMENT 16u

/* How many of the floats that steps return are made at a time. */
#define RESULTS 128u

typedef struct result {
    mp_obj_base_t base;
    union {
        mp_float_t value;    /* after it was returned */
        struct result *next; /* while it waits */
    } as;
} result;

typedef struct session_obj {
    mp_obj_base_t base;
    mp_obj_t image;     /* keeps the image's bytes alive */
    uint8_t *memory;    /* the block of the arena; the collector finds it by its start */
    uint32_t arena_size;
    uint8_t is_open;
    uint8_t is_torn;    /* 1: an exception interrupted the loading of a checkpoint */
    uint32_t given;     /* a bit for each input, then label: it holds data for the next run */
    uint32_t shorter;   /* the same bits: it has only the first `samples` of the batch */
    uint32_t samples;
    uint32_t counted;   /* the samples of the last run; 0: the whole batch */
    result *results;    /* prepared floats */
    result *last;       /* the last returned float */
    gm_requirements needs;
    gm_session session;
#if WITH_REST
    uint32_t round;         /* of federated learning */
    uint8_t *base_of_round; /* parameters; the collector finds them here; NULL: the image's initial ones */
#endif
} session_obj;

extern module_type session_type;

static inline mp_obj_t new_text(const char *text)
{
    return mp_obj_new_str(text, strlen(text));
}

#endif
