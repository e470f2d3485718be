/*
 * The floats that steps return. MicroPython keeps floats on its heap, so making one would be an
 * allocation in each step. Therefore they are made in advance, RESULTS at a time, and wait in a
 * list. If the heap is locked and none waits, the last returned one is returned again, with a new
 * value.
 */
#include "results.h"

/* If floats are not objects on the heap, there is nothing to prepare. */
#if !GRADMOTE_NATIVE && (MICROPY_OBJ_REPR == MICROPY_OBJ_REPR_C || MICROPY_OBJ_REPR == MICROPY_OBJ_REPR_D)

void prepare_result(session_obj *self)
{
    (void)self;
}

mp_obj_t give_result(session_obj *self, float value)
{
    (void)self;
    return mp_obj_new_float_from_f(value);
}

#else

#if GRADMOTE_NATIVE

/* A locked heap refuses every allocation, however small. */
static int heap_is_locked(void)
{
    void *block = m_realloc_maybe(NULL, 1, false);
    if (block != NULL) {
        m_free(block);
    }
    return block == NULL;
}

#else
#define heap_is_locked gc_is_locked
#endif

static result *new_result(void)
{
    return MP_OBJ_TO_PTR(mp_obj_new_float_from_f(0.0f));
}

static void put(session_obj *self, result *free)
{
    free->as.next = self->results;
    self->results = free;
}

void prepare_result(session_obj *self)
{
    if (self->results != NULL || (self->last != NULL && heap_is_locked())) {
        return;
    }
    for (unsigned i = 0; i < RESULTS; ++i) {
        put(self, new_result());
    }
}

mp_obj_t give_result(session_obj *self, float value)
{
    result *next = self->results != NULL ? self->results : self->last;
    if (self->results != NULL) {
        self->results = next->as.next;
    }
    self->last = next;
    next->as.value = (mp_float_t)value;
    return MP_OBJ_FROM_PTR(next);
}

#endif
