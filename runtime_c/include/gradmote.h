/*
 * Gradmote: trains a neural network in fixed memory.
 *
 * The caller owns everything: the image (a .mote file, used in place, typically in flash), one arena of
 * gm_required() bytes, and the session struct. Nothing is allocated, nothing is global; two sessions are
 * independent. gm_open() verifies the image once; after that the executor trusts it.
 *
 *     static gm_session session;
 *     static uint32_t arena[ARENA_SIZE / 4];        // 16-byte aligned
 *     gm_open(&session, image, image_size, arena, sizeof arena);
 *     gm_write(&session, GM_ROLE_INPUT, 0, pixels, sizeof pixels);
 *     gm_write(&session, GM_ROLE_LABEL, 0, labels, sizeof labels);
 *     gm_step(&session, &loss);                     // forward, backward and update
 *
 * Functions return GM_OK (0), GM_AGAIN (1, only gm_run) or a negative gm_error. After a negative return the
 * parameters and the optimizer's state are what they were before the call; but where a gradient overflows in gm_step()
 * (GM_ERR_NOT_FINITE), layers behind the one where it does may have been updated.
 */
#ifndef GRADMOTE_H
#define GRADMOTE_H

#include <stddef.h>
#include <stdint.h>

#include "gm_config.h"
#include "../generated/gm_errors.h"
#include "../generated/gm_records.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GM_VERSION_MAJOR 0
#define GM_VERSION_MINOR 1
#define GM_VERSION_PATCH 0

/* Returned by gm_run() while instructions remain. */
#define GM_AGAIN 1

/* ---- Session ---------------------------------------------------------------------------------------------- */

#if GM_THREADS
#define GM_MAX_PARTS 16

/* Does one part, 0 .. parts - 1, of what was cut. */
typedef void (*gm_task)(void *argument, uint32_t part);

/* The caller's threads. run() calls task(argument, part) once for each part, in any order and on any threads, and returns
 * when all have returned. */
typedef struct gm_splitter {
    void (*run)(void *context, uint32_t parts, gm_task task, void *argument);
    void *context;
    uint32_t parts;              /* at most: how many threads there are, 1 .. GM_MAX_PARTS */
    uint32_t least;              /* what makes a part worth handing over: so many elements, or 8 times as many products */
} gm_splitter;
#endif

/* Caller-owned; treat the fields as private. 36 bytes on a 32-bit part. */
typedef struct gm_session {
    const uint8_t *image;
    const gm_header *header;
    uint8_t *arena;
    const uint8_t *constants;
    const uint32_t *pc;          /* next instruction of the running program, or NULL */
    const uint32_t *end;
    uint32_t running;            /* gm_program_kind of the running program */
    uint32_t instructions;       /* executed since gm_open(), wraps */
    uint16_t borrowed;           /* 1: the running program has samples of the store as its input */
    uint16_t proven;             /* what of the state is known to be sound: only updates have written it since */
#if GM_THREADS
    const gm_splitter *splitter; /* NULL: one thread */
    uint32_t spare;              /* bytes behind the image's arena, for each part but the first */
#endif
} gm_session;

/* What an image needs and offers, before opening it. */
typedef struct gm_requirements {
    uint32_t arena_size;         /* bytes */
    uint32_t state_size;         /* bytes */
    uint32_t parameters_size;    /* bytes */
    uint32_t gradients_size;     /* bytes */
    uint32_t batch;              /* samples in one step */
    uint32_t programs;           /* bit p is set where program kind p is present */
} gm_requirements;

/* A view of an input, output, parameter or gradient. `data` points into the arena (or into the image, for
 * nothing that can be written). Valid until gm_close(); contents of outputs until the next program starts. */
typedef struct gm_view {
    const char *name;            /* zero-terminated, or NULL where names were stripped */
    void *data;
    uint32_t size;               /* bytes */
    uint32_t dtype;              /* gm_dtype */
    uint32_t rank;               /* 0 .. GM_MAX_RANK */
    const uint32_t *dims;        /* rank of them: the ONNX model's own shape */
    uint32_t lasts;              /* 0: its contents are lost when a program runs, as outputs are */
} gm_view;

/* Reads the header only. GM_OK, GM_ERR_BAD_MAGIC, GM_ERR_BAD_VERSION, GM_ERR_TRUNCATED, GM_ERR_INVALID_ARGUMENT. */
int gm_required(const void *image, size_t image_size, gm_requirements *out);

/* Whether gm_open() would accept the image with an arena of so many bytes: GM_OK, or what it would return. */
int gm_verify_image(const void *image, size_t image_size, size_t arena_size);

/* Verifies the whole image (docs/SPEC.md, "What is verified") and sets the state to its initial values.
 * image: 16-byte aligned, must stay in place while the session is open. arena: 16-byte aligned. */
int gm_open(gm_session *session, const void *image, size_t image_size, void *arena, size_t arena_size);

/* Sets parameters, moments, counters and properties back to the image's initial values. */
int gm_reset(gm_session *session);

/* Forgets image and arena; the caller may reuse both. */
void gm_close(gm_session *session);

/* One sentence a code; `gm_error_hint` says what to do about it. Never NULL. */
const char *gm_error_text(int error);
const char *gm_error_hint(int error);

/* ---- Data in and out -------------------------------------------------------------------------------------- */

/* The index-th tensor with that role in that program. Inputs and labels have one place for all programs. Where `lasts`
 * is set, none overwrites it: what is written once can be inferred, evaluated and trained on. Where it is not (an image
 * that was compiled so, for a smaller arena), write again before each run, and read outputs before that.
 * GM_ERR_NOT_FOUND past the last one. */
int gm_tensor_view(const gm_session *session, uint32_t program, uint32_t role, uint32_t index, gm_view *out);

/* Copies a whole input or label into its place (role INPUT or LABEL; index counts over all programs).
 * GM_ERR_WRONG_SIZE unless size is exact. */
int gm_write(gm_session *session, uint32_t role, uint32_t index, const void *data, size_t size);

/* ---- Running ---------------------------------------------------------------------------------------------- */

/* Each runs one program to its end. `loss` may be NULL. Data errors (GM_ERR_LABEL_OUT_OF_RANGE,
 * GM_ERR_NOT_FINITE) leave the state untouched. */
int gm_infer(gm_session *session);
int gm_eval_step(gm_session *session, float *loss);
/* Adds the gradients of one micro-batch to the gradient region. */
int gm_train_step(gm_session *session, float *loss);
/* Applies the mean of the accumulated gradients, then moves the learning-rate schedule one step on. */
int gm_optimizer_step(gm_session *session);
/* Train and update in one program that never holds all gradients; the smallest arena. */
int gm_step(gm_session *session, float *loss);
/* The next gm_train_step() starts from zero gradients. */
int gm_lazy_reset_grad(gm_session *session);

/* The same, in slices: gm_begin(), then gm_run() until it no longer returns GM_AGAIN. Other calls that touch the
 * state return GM_ERR_BUSY meanwhile. gm_abort() drops the rest of the program; dropping TRAIN drops the accumulated
 * gradients with it, and dropping STEP or OPTIMIZER half-way leaves a partly applied update, so prefer to finish those.
 * gm_run() without a running program returns GM_ERR_INVALID_ARGUMENT. */
int gm_begin(gm_session *session, uint32_t program);
int gm_run(gm_session *session, uint32_t max_instructions);
void gm_abort(gm_session *session);
#if GM_THREADS
/* From now on, instructions that are worth it run in parts, each of outputs of its own, so that all bits stay the same.
 * splitter: must stay in place while the session is open; NULL: back to one thread. arena_size: that of gm_open(). What
 * it has beyond the image's need is for the rows of a gradient that parts take to an update rule; without that, these run
 * whole. parameters_size bytes for each part but the first are always enough. */
int gm_set_splitter(gm_session *session, const gm_splitter *splitter, size_t arena_size);
#endif

/* The loss of the last EVAL, TRAIN or STEP that ended. */
int gm_loss(const gm_session *session, uint32_t program, float *loss);

/* The class that the first output of the last INFER gives most to in that row, the lowest of equals, and how much.
 * GM_ERR_NOT_FOUND unless that output is f32 [rows, classes]. */
int gm_classify(const gm_session *session, uint32_t row, uint32_t *label, float *score);

/* ---- The sample store: teaching by hand ------------------------------------------------------------------- */

/* An image compiled with --store N keeps up to N samples with their labels in its state, so that a checkpoint carries
 * them, and trains on them again. Without one, and in a build without GM_WITH_STORE: GM_ERR_NO_STORE.
 *
 *     gm_write(&session, GM_ROLE_INPUT, 0, pixels, sizeof pixels);
 *     gm_learn(&session, 7);                        // this is a 7
 *     gm_replay(&session, &loss);                   // whenever there is time
 */
typedef struct gm_store_info {
    uint32_t capacity;           /* samples */
    uint32_t classes;            /* labels are 0 .. classes - 1 */
    uint32_t dtype;              /* gm_store_dtype: how samples are kept */
    uint32_t elements;           /* of one sample */
    uint32_t kept;               /* samples in the store */
} gm_store_info;

int gm_store_view(const gm_session *session, gm_store_info *out);
/* What the store has of one class. GM_ERR_LABEL_OUT_OF_RANGE. */
int gm_store_class_view(const gm_session *session, uint32_t label, gm_store_class *out);

/* Takes the first sample of the input with this label. A full store keeps classes balanced (docs/NUMERICS.md, "The sample
 * store"); so the sample may replace another, or not be kept. Where the image overwrites inputs, call it before a program
 * runs. GM_ERR_LABEL_OUT_OF_RANGE, GM_ERR_NOT_FINITE: nothing was changed. */
int gm_learn(gm_session *session, uint32_t label);
/* Drops every sample of a class, and that any were seen. */
int gm_forget(gm_session *session, uint32_t label);

/* gm_step() on samples of the store, drawn so that each class is as likely as any other. The first sample of the input
 * is there again afterwards, where inputs last; the others, and the labels, are those that were drawn.
 * GM_ERR_STORE_EMPTY. */
int gm_replay(gm_session *session, float *loss);
/* The same in slices, in place of gm_begin(). program: GM_PROGRAM_STEP or GM_PROGRAM_TRAIN. */
int gm_begin_replay(gm_session *session, uint32_t program);

/* How many samples of a class the store has, and to how many of them the model gives that class. */
int gm_score(gm_session *session, uint32_t label, uint32_t *kept, uint32_t *right);
/* Its parts in slices: begins INFER on the samples `first` and on of a class, as many as the input holds; *rows says how
 * many these are. gm_classify() then tells what became of them. GM_ERR_NOT_FOUND past the last one. */
int gm_begin_recall(gm_session *session, uint32_t label, uint32_t first, uint32_t *rows);

/* ---- Learning rate ---------------------------------------------------------------------------------------- */

float gm_learning_rate(const gm_session *session);
/* Sets the rate and ends any schedule. rate: finite, >= 0. */
int gm_set_learning_rate(gm_session *session, float rate);
/* From the next update on: rises linearly from 0 to `rate` in warmup_steps, then falls linearly to 0 at total_steps.
 * Same formula as onnxruntime's LinearLRScheduler and transformers' get_linear_schedule_with_warmup. */
int gm_set_linear_schedule(gm_session *session, float rate, uint32_t warmup_steps, uint32_t total_steps);
const gm_control *gm_control_view(const gm_session *session);
/* Seed of dropout; restarts its sequence. */
int gm_set_seed(gm_session *session, uint32_t seed);

/* ---- Parameters ------------------------------------------------------------------------------------------- */

/* Views of the state may be written to: after each of these calls the next update looks at the whole state anew. */
uint32_t gm_parameter_count(const gm_session *session);
int gm_parameter(gm_session *session, uint32_t index, gm_view *out);
int gm_parameter_named(gm_session *session, const char *name, gm_view *out);
/* The gradient of parameter `index`; GM_ERR_NOT_FOUND where the image keeps none. */
int gm_gradient(const gm_session *session, uint32_t index, gm_view *out);
/* All trained parameters as one contiguous f32 buffer, in the order of their indices. Flat: rank 0, dims NULL. */
int gm_parameters(gm_session *session, gm_view *out);
int gm_set_parameters(gm_session *session, const void *data, size_t size);
/* out[i] = parameters[i] - initial parameters[i] of the image: what a federated client sends. size must be
 * parameters_size. */
int gm_delta(const gm_session *session, float *out, size_t size);
/* parameters[i] = initial[i] + delta[i]. */
int gm_apply_delta(gm_session *session, const float *delta, size_t size);
/* The whole state region: parameters, moments, control, properties. Flat: rank 0, dims NULL. */
int gm_state(gm_session *session, gm_view *out);

/* ---- Checkpoints ------------------------------------------------------------------------------------------ */

/* Moves `size` bytes at `offset` of the file; returns 0, or anything else to give up (GM_ERR_IO). Writes come in
 * ascending order without gaps, but for the header, which is written last. */
typedef int (*gm_write_fn)(void *user, uint32_t offset, const void *data, uint32_t size);
typedef int (*gm_read_fn)(void *user, uint32_t offset, void *data, uint32_t size);

/* Bytes of a checkpoint of this session. */
uint32_t gm_checkpoint_size(const gm_session *session);
int gm_checkpoint_save(const gm_session *session, gm_write_fn write, void *user);
/* The same for slow links, of about half the bytes: float32 numbers as binary16, each entry of the state under a scale
 * of its own (docs/SPEC.md, "Packed entries"). It is loaded as any other. Bits are lost: a board keeps the other. */
uint32_t gm_checkpoint_half_size(const gm_session *session);
int gm_checkpoint_save_half(const gm_session *session, gm_write_fn write, void *user);
/* Bytes [offset, offset + size) of what gm_checkpoint_save_half() would write, for a link that takes them part by part;
 * the state must not change meanwhile. GM_ERR_INVALID_ARGUMENT past the end. */
int gm_checkpoint_part_half(const gm_session *session, uint32_t offset, void *data, uint32_t size);
/* Whether gm_checkpoint_load() would accept the file where no program runs: GM_OK, or what it would return. The state
 * stays; a program may run. */
int gm_checkpoint_check(const gm_session *session, gm_read_fn read, void *user, size_t size);
/* Checks magic, version, checksum of the whole file and model before the state changes. Should the storage then fail
 * on the second reading of what it has just delivered, the state becomes the image's initial one, never a mixture. */
int gm_checkpoint_load(gm_session *session, gm_read_fn read, void *user, size_t size);
/* Takes over from another model's checkpoint what this one has too: parameters, running statistics, moments and
 * properties of equal name, dtype and shape; *carried is how many. All else gets the image's initial values, rate,
 * schedule, counters and store among them; and so do all moments where one of them has no like in the file, as they
 * share their bias corrections. GM_ERR_BAD_VERSION for a file of gm_checkpoint_save_half(). The file is checked as a whole before the state changes. Should the storage then
 * fail, the state becomes the image's initial one. */
int gm_checkpoint_carry_over(gm_session *session, gm_read_fn read, void *user, size_t size, uint32_t *carried);

/* ---- Properties: named numbers kept with the state ---------------------------------------------------------- */

int gm_property_set_i32(gm_session *session, const char *key, int32_t value);
int gm_property_set_f32(gm_session *session, const char *key, float value);
/* Copies the slot with that key. GM_ERR_NOT_FOUND. */
int gm_property_get(const gm_session *session, const char *key, gm_property *out);
/* The index-th used slot. GM_ERR_NOT_FOUND past the last one. */
int gm_property_at(const gm_session *session, uint32_t index, gm_property *out);
int gm_property_remove(gm_session *session, const char *key);

/* CRC-32 (IEEE 802.3, as zlib's crc32) of data, continuing from `crc` (0 to start). */
uint32_t gm_crc32(uint32_t crc, const void *data, size_t size);

#ifdef __cplusplus
}
#endif

#endif
