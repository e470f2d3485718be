/*
 * What JavaScript needs beside gradmote.h: the layout of its structs, and checkpoints whose bytes
 * JavaScript keeps. The module allocates nothing. All memory is the caller's, who puts image, arena
 * and session behind __heap_base.
 */
#include "gradmote.h"

#define EXPORT(name) __attribute__((export_name(#name)))
#define IMPORT(name) __attribute__((import_module("gradmote"), import_name(#name)))

/* JavaScript's side of a checkpoint: a gm_write_fn and a gm_read_fn. */
IMPORT(write) int gm_wasm_write(void *user, uint32_t offset, const void *data, uint32_t size);
IMPORT(read) int gm_wasm_read(void *user, uint32_t offset, void *data, uint32_t size);

/* Returns the bytes of a gm_session. */
EXPORT(gm_wasm_session_size) uint32_t gm_wasm_session_size(void)
{
    return sizeof(gm_session);
}

/* Returns 1 while a program runs between gm_begin() and its end. */
EXPORT(gm_wasm_busy) int gm_wasm_busy(const gm_session *session)
{
    return session->pc != NULL;
}

/* Returns the instructions executed since gm_open(), modulo 2^32. */
EXPORT(gm_wasm_instructions) uint32_t gm_wasm_instructions(const gm_session *session)
{
    return session->instructions;
}

/* Saves the state through write(): in full (0), packed (1), or with an optimizer that has not begun (2). */
EXPORT(gm_wasm_save) int gm_wasm_save(const gm_session *session, int form)
{
    return form == 0   ? gm_checkpoint_save(session, gm_wasm_write, NULL)
           : form == 1 ? gm_checkpoint_save_half(session, gm_wasm_write, NULL)
                       : gm_checkpoint_save_without_optimizer(session, gm_wasm_write, NULL);
}

/* Loads the state from `size` bytes through read(). */
EXPORT(gm_wasm_load) int gm_wasm_load(gm_session *session, uint32_t size)
{
    return gm_checkpoint_load(session, gm_wasm_read, NULL, size);
}

/* Carries over another model's checkpoint of `size` bytes through read(). */
EXPORT(gm_wasm_carry_over)
int gm_wasm_carry_over(gm_session *session, uint32_t size, uint32_t *carried)
{
    return gm_checkpoint_carry_over(session, gm_wasm_read, NULL, size, carried);
}
