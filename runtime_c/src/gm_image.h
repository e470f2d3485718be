/*
 * Sections of an image in place, and what open.c, the verifier, execute.c and session.c need of each other.
 */
#ifndef GM_IMAGE_H
#define GM_IMAGE_H

#include "gradmote.h"

/* Of what runs once an image, a checkpoint or a state, or looks up a tensor: compiled for size, with all that only it calls. */
#if defined(__GNUC__)
#define GM_COLD __attribute__((cold))
#else
#define GM_COLD
#endif

/* First byte of a section; sections are 16-byte aligned, so records can be read in place. */
static inline const void *gm_section_data(const gm_header *header, uint32_t section)
{
    return (const uint8_t *)header + header->sections[section].offset;
}

static inline gm_control *gm_control_of(const gm_session *session)
{
    return (gm_control *)(void *)(session->arena + session->header->control_offset);
}

/* The index-th tensor with that role in any program of the bit set `programs`, or NULL. */
const gm_tensor *gm_find_tensor(const gm_header *header, uint32_t programs, uint32_t role, uint32_t index);

/* GM_OK where the session is open and no program runs, else GM_ERR_INVALID_ARGUMENT or GM_ERR_BUSY. */
int gm_idle(const gm_session *session);

/* Size, magic and version of the file at `header`: GM_OK, GM_ERR_TRUNCATED, GM_ERR_BAD_MAGIC, GM_ERR_BAD_VERSION. */
int gm_check_container(const gm_header *header, size_t image_size);

/* The rest of docs/SPEC.md's "What is verified", for a file that gm_check_container() accepts. */
int gm_verify(const gm_header *header);

/* Size, magic, version and checksum of a checkpoint of any model; reads its header. */
int gm_check_checkpoint(gm_read_fn read, void *user, size_t size, gm_checkpoint *header);

/* Bookkeeping around a program: counters, gradients, learning rate. `status` is how it ended, and is returned. */
int gm_before_program(gm_session *session, uint32_t kind);
int gm_end_program(gm_session *session, int status);

/* Of session->proven. A loaded state takes both away, a learning rate that is set the second. */
#define GM_PROVEN_STATE 1u
#define GM_PROVEN_RATE 2u
#define GM_PROVEN (GM_PROVEN_STATE | GM_PROVEN_RATE)

/* At the first instruction of a program that updates: GM_ERR_NOT_FINITE where its rules promise to keep the state finite, and
 * cannot, with this state or this learning rate. */
int gm_prove(gm_session *session);

/* A program that ran on samples of the store has ended: the input's first sample becomes the caller's again. */
void gm_return_sample(gm_session *session);

/* Moves the schedule on to the next update. */
void gm_advance_schedule(gm_control *control);

#endif
