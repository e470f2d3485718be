/*
 * Gradmote trains a neural network in fixed memory.
 *
 * The caller owns all memory: the image (a .mote file, used in place, typically in flash), one
 * arena of gm_required() bytes, and the session struct. The runtime allocates nothing and has no
 * globals, so sessions are independent of each other. gm_open() verifies the image once; from then
 * on the executor trusts it.
 *
 *     static gm_session session;
 *     static uint32_t arena[ARENA_SIZE / 4];        // 16-byte aligned
 *     gm_open(&session, image, image_size, arena, sizeof arena);
 *     gm_write(&session, GM_ROLE_INPUT, 0, pixels, sizeof pixels);
 *     gm_write(&session, GM_ROLE_LABEL, 0, labels, sizeof labels);
 *     gm_step(&session, &loss);                     // forward, backward and update
 *
 * Functions that return int return GM_OK (0) or a negative gm_error; gm_run() can also return
 * GM_AGAIN (1). The comments list every code. GM_ERR_INVALID_ARGUMENT means a NULL argument that
 * must not be NULL, or a session that is not open. GM_ERR_BUSY means that a program started by
 * gm_begin() has not ended yet.
 *
 * A failed call leaves parameters and optimizer state unchanged, with two exceptions. If a gradient
 * overflows in gm_step() (GM_ERR_NOT_FINITE), the layers after the one that overflowed may already
 * have been updated. If storage fails during the second read of a checkpoint, the state is reset to
 * the image's initial one.
 *
 * Use a session from one thread at a time.
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

/* gm_run() returns this while instructions remain. */
#define GM_AGAIN 1

/* ---- The build ------------------------------------------------------------------------------- */

/* Returns 1 if this build of the runtime has the kernel of an opcode or an update rule (numbered in
 * docs/SPEC.md), else 0. gm_open() refuses an image that needs a missing one with
 * GM_ERR_BAD_OPCODE. */
int gm_has_opcode(uint32_t opcode);
int gm_has_rule(uint32_t rule);

/* ---- Session --------------------------------------------------------------------------------- */

#define GM_MAX_PARTS 16

/* Runs one part of a split instruction. part: 0 to the number of parts - 1. */
typedef void (*gm_task)(void *argument, uint32_t part);

/* The caller's threads. run() calls task(argument, part) once for each part, in any order and on
 * any threads, and returns when all of these calls have returned. */
typedef struct gm_splitter {
    void (*run)(void *context, uint32_t parts, gm_task task, void *argument);
    void *context;               /* first argument of run() */
    uint32_t parts;              /* maximum number of parts in one run(), 1 to GM_MAX_PARTS */
    uint32_t least;              /* minimum elements in a part, or 8 times as many products; >= 1 */
} gm_splitter;

/* A session. The caller owns it, but its fields are private. It takes 68 bytes on a 32-bit part
 * whatever gm_config.h leaves out, so the caller and the runtime may be built with different
 * options. */
typedef struct gm_session {
    const uint8_t *image;
    const gm_header *header;
    uint8_t *arena;
    const uint8_t *constants;
    const uint32_t *pc;          /* the next instruction of the running program, or NULL */
    const uint32_t *end;
    const uint32_t *loop;        /* the first instruction of the LOOP that runs, or NULL */
    uint32_t iteration;          /* of that LOOP, from 0 */
    uint32_t running;            /* gm_program_kind of the running program */
    uint32_t instructions;       /* executed since gm_open(), modulo 2^32 */
    uint16_t borrowed;           /* 1: the first input sample is saved until the program ends */
    uint16_t proven;             /* which parts of the state and rate are known to be sound */
    const gm_splitter *splitter; /* NULL: one thread */
    uint32_t spare : 28;         /* bytes after the image's arena, for each part except the first */
    uint32_t sums : 3;           /* gm_sums_kind of the gradients in TRAIN */
    uint32_t fresh : 1;          /* 1: the gradients of the running TRAIN start from zero */
    uint32_t range_start;        /* this part's range of an instruction's axis */
    uint32_t range_length;       /* 0: the whole axis */
    int (*execute)(const struct gm_session *session, const uint32_t *instruction); /* NULL: all rows */
    uint32_t rows;               /* of the running program, if not all */
} gm_session;

/* The memory that an image needs, its batch size and its programs. You can read these before you
 * open the image. */
typedef struct gm_requirements {
    uint32_t arena_size;         /* bytes */
    uint32_t state_size;         /* bytes */
    uint32_t parameters_size;    /* bytes */
    uint32_t gradients_size;     /* bytes */
    uint32_t batch;              /* samples in one step */
    uint32_t programs;           /* bit p is set if the image has program kind p */
} gm_requirements;

/* A view of an input, output, parameter or gradient in the arena, valid until gm_close(). */
typedef struct gm_view {
    const char *name;            /* zero-terminated, or NULL if names were stripped */
    void *data;
    uint32_t size;               /* bytes */
    uint32_t dtype;              /* gm_dtype_kind */
    uint32_t rank;               /* 0 to GM_MAX_RANK */
    const uint32_t *dims;        /* the `rank` dims of the ONNX model's shape */
    uint32_t lasts;              /* 0: programs overwrite the contents, as with outputs */
} gm_view;

/* Reads an image's memory needs from its header. Does not verify the rest of the image.
 *
 * image: 16-byte aligned. image_size: bytes from there to the end of the image, or more.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_TRUNCATED, GM_ERR_BAD_MAGIC or
 * GM_ERR_BAD_VERSION. */
int gm_required(const void *image, size_t image_size, gm_requirements *out);

/* Checks whether gm_open() would accept the image with an arena of arena_size bytes. Writes
 * nothing.
 *
 * image, image_size: as for gm_required().
 * Returns GM_OK, the codes of gm_required(), GM_ERR_ARENA_TOO_SMALL, or what is wrong with the
 * image: GM_ERR_BAD_CRC, GM_ERR_BAD_SECTION, GM_ERR_BAD_REGION, GM_ERR_BAD_TENSOR,
 * GM_ERR_BAD_STORE, GM_ERR_BAD_STATE, GM_ERR_BAD_PROGRAM, GM_ERR_BAD_OPCODE,
 * GM_ERR_BAD_INSTRUCTION, GM_ERR_BAD_OPERAND or GM_ERR_TOO_MUCH_WORK. */
int gm_verify_image(const void *image, size_t image_size, size_t arena_size);

/* Verifies the whole image (docs/SPEC.md, "What is verified"), opens a session on it, and sets the
 * state to its initial values.
 *
 * image: as for gm_required(). It must stay in place and unchanged while the session is open.
 * arena: 16-byte aligned, arena_size bytes, not overlapping the image. The session uses it until
 * gm_close().
 * Returns GM_OK, the codes of gm_verify_image(), or GM_ERR_WRONG_ARITHMETIC if this build or the
 * processor's mode does not round as the numerics profile requires. After a failure the session is
 * not open and the arena is unchanged. */
int gm_open(gm_session *session, const void *image, size_t image_size, void *arena, size_t arena_size);

/* Resets parameters, moments, running statistics, counters, properties and the store to the image's
 * initial values, and discards accumulated gradients.
 *
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT or GM_ERR_BUSY. */
int gm_reset(gm_session *session);

/* Closes a session and ends any program that runs in it. Afterwards the caller may reuse the image
 * and the arena. Does nothing if session is NULL or not open. */
void gm_close(gm_session *session);

/* Returns a sentence that describes an error code, never NULL. */
const char *gm_error_text(int error);

/* Returns a sentence on how to fix an error, never NULL. */
const char *gm_error_hint(int error);

/* ---- Data in and out ------------------------------------------------------------------------- */

/* Finds the index-th tensor with this role in this program.
 *
 * An input or label has the same address in all programs. If its `lasts` is 1, no program
 * overwrites it: write it once, then infer, evaluate and train on it. If it is 0 (the image was
 * compiled for a smaller arena), write it again before each run. Read an output before the next
 * program runs.
 *
 * program: gm_program_kind. role: gm_role_kind. index: from 0.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, or GM_ERR_NOT_FOUND past the last one. */
int gm_tensor_view(const gm_session *session, uint32_t program, uint32_t role, uint32_t index, gm_view *out);

/* Copies a whole input or label into the arena.
 *
 * role: GM_ROLE_INPUT or GM_ROLE_LABEL. index: from 0, over all programs. data, size: the tensor's
 * elements as float or int32_t, and its exact size in bytes.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY, GM_ERR_NOT_FOUND or GM_ERR_WRONG_SIZE. After
 * a failure the tensor is unchanged. */
int gm_write(gm_session *session, uint32_t role, uint32_t index, const void *data, size_t size);

/* ---- Running --------------------------------------------------------------------------------- */

/* Each of the next five functions runs one program to its end on the inputs and labels in the
 * arena. `loss` may be NULL.
 *
 * All of them return GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY, GM_ERR_NO_PROGRAM if the image
 * lacks the program, or what is wrong with the data: GM_ERR_LABEL_OUT_OF_RANGE,
 * GM_ERR_INDEX_OUT_OF_RANGE or GM_ERR_NOT_FINITE. A step that fails this way is skipped. */

/* Computes the outputs of INFER from the inputs. */
int gm_infer(gm_session *session);

/* Computes the outputs of EVAL and the mean loss of the batch. Does not train. */
int gm_eval_step(gm_session *session, float *loss);

/* Adds the gradients of one micro-batch to the gradient region. */
int gm_train_step(gm_session *session, float *loss);

/* Applies the mean of the accumulated gradients, then advances the learning-rate schedule by one
 * step.
 *
 * Also returns GM_ERR_NO_GRADIENTS if gm_train_step() has made none since the last update. A
 * refused update discards the gradients. */
int gm_optimizer_step(gm_session *session);

/* Does the same with the sum of the gradients instead of their mean, as onnxruntime does. The number
 * of gradients stays, whether the update is refused or not. */
int gm_optimizer_step_on_sum(gm_session *session);

/* Trains on the batch and updates, in one program that never holds all gradients at once. It needs
 * the smallest arena. `loss` is the loss before the update. */
int gm_step(gm_session *session, float *loss);

/* Makes the next gm_train_step() start from zero gradients.
 *
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT or GM_ERR_BUSY. */
int gm_lazy_reset_grad(gm_session *session);

/* Begins a program, which gm_run() then executes in slices. Until the program ends, calls that
 * touch the state return GM_ERR_BUSY.
 *
 * program: gm_program_kind.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY, GM_ERR_NO_PROGRAM, or GM_ERR_NO_GRADIENTS
 * for OPTIMIZER without gradients. */
int gm_begin(gm_session *session, uint32_t program);

/* Executes up to max_instructions of the current program.
 *
 * Returns GM_AGAIN while instructions remain, and GM_OK at the program's end.
 * GM_ERR_LABEL_OUT_OF_RANGE, GM_ERR_INDEX_OUT_OF_RANGE and GM_ERR_NOT_FINITE also end the program.
 * Returns GM_ERR_INVALID_ARGUMENT if no program has begun. */
int gm_run(gm_session *session, uint32_t max_instructions);

/* Begins a program that counts only the first `rows` samples of its batch, for gm_run() to execute.
 *
 * Losses are means over these samples, and a step equals that of an image compiled for a batch of
 * `rows` (docs/NUMERICS.md, "Fewer rows"). The samples after them in inputs and labels become copies
 * of the first one, and those of outputs mean nothing.
 *
 * rows: 1 to the image's batch.
 * Returns the codes of gm_begin(), GM_ERR_INVALID_ARGUMENT for other rows, or GM_ERR_WHOLE_BATCH if
 * the program's samples depend on each other, as in a loss that compares them. */
int gm_begin_rows(gm_session *session, uint32_t program, uint32_t rows);

/* Runs such a program to its end.
 *
 * loss: as for gm_step(); NULL for a program without a loss, and if you do not need it.
 * Returns the codes of gm_begin_rows() and of gm_step(). */
int gm_run_rows(gm_session *session, uint32_t program, uint32_t rows, float *loss);

/* Copies the first rows of an input or label into the arena. The others stay until the next
 * gm_begin_rows().
 *
 * role, index: as for gm_write(). data, size: the rows, and their bytes: a multiple of one row's.
 * Returns the codes of gm_write(). */
int gm_write_rows(gm_session *session, uint32_t role, uint32_t index, const void *data, size_t size);

/* Abandons the current program, if any. Abandoning TRAIN also discards the accumulated gradients.
 * Abandoning STEP or OPTIMIZER leaves a partial update, so run these to their end instead. */
void gm_abort(gm_session *session);

#if GM_THREADS
/* Lets large instructions run in parts on the caller's threads. Each part computes its own outputs,
 * so all bits stay the same.
 *
 * splitter: it must stay in place while the session is open. NULL: back to one thread.
 * arena_size: as for gm_open(). Bytes beyond the image's need hold rows of gradients that parts
 * pass to an update rule; without that room, such instructions run whole. parameters_size bytes for
 * each part except the first are always enough.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT or GM_ERR_BUSY. */
int gm_set_splitter(gm_session *session, const gm_splitter *splitter, size_t arena_size);
#endif

/* Reads the loss of the last EVAL, TRAIN or STEP. Read it before another program runs.
 *
 * program: the program that ended.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, or GM_ERR_NOT_FOUND if the program has no loss. */
int gm_loss(const gm_session *session, uint32_t program, float *loss);

/* Finds the class with the highest score in one row of INFER's first output. Of equal scores the
 * lowest class wins.
 *
 * row: from 0. *label, *score: the class and its raw score. For an i8, u8 or i16 output the score
 * is the integer, without scale or zero point.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, or GM_ERR_NOT_FOUND if the output is not [rows, classes]
 * of f32, i8, u8 or i16, or has no such row. */
int gm_classify(const gm_session *session, uint32_t row, uint32_t *label, float *score);

/* Returns the name of a class, UTF-8 in the image, or NULL if the image has no such name.
 *
 * label: from 0, the index of the class's score in INFER's first output. */
const char *gm_class_name(const gm_session *session, uint32_t label);

/* ---- The sample store: teaching by hand ------------------------------------------------------ */

/* The size, form and contents of the sample store.
 *
 * An image compiled with --store N keeps up to N labelled samples in its state, so that checkpoints
 * include them, and can train on them again. Without a store, and in a build without GM_WITH_STORE,
 * the functions below return GM_ERR_NO_STORE.
 *
 *     gm_write(&session, GM_ROLE_INPUT, 0, pixels, sizeof pixels);
 *     gm_learn(&session, 7);                        // this is a 7
 *     gm_replay(&session, &loss);                   // whenever there is time */
typedef struct gm_store_info {
    uint32_t capacity;           /* samples */
    uint32_t classes;            /* labels are 0 to classes - 1 */
    uint32_t dtype;              /* gm_store_dtype_kind of the stored samples */
    uint32_t elements;           /* of one sample */
    uint32_t kept;               /* samples now in the store */
} gm_store_info;

/* Reads the form of the store and how many samples it holds.
 *
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY or GM_ERR_NO_STORE. */
int gm_store_view(const gm_session *session, gm_store_info *out);

/* Reads how many samples of a class gm_learn() has taken, and how many are in the store.
 *
 * Returns the codes of gm_store_view(), or GM_ERR_LABEL_OUT_OF_RANGE. */
int gm_store_class_view(const gm_session *session, uint32_t label, gm_store_class *out);

/* Adds the first sample of the input to the store, with this label. A full store keeps classes
 * balanced (docs/NUMERICS.md, "The sample store"): the sample may replace another one, or be
 * discarded. If programs of this image overwrite inputs, call this before one runs.
 *
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY, GM_ERR_NO_STORE, GM_ERR_LABEL_OUT_OF_RANGE,
 * or GM_ERR_NOT_FINITE if the sample has a NaN or an infinity. After a failure the store is
 * unchanged. */
int gm_learn(gm_session *session, uint32_t label);

/* Removes every sample of a class, and resets its count of learned samples.
 *
 * Returns the codes of gm_store_class_view(). */
int gm_forget(gm_session *session, uint32_t label);

/* Runs gm_step() on samples of the store, drawn so that each class is equally likely. If inputs
 * last, the input's first sample is the caller's again afterwards; the other samples and the labels
 * are the drawn ones.
 *
 * Returns the codes of gm_step(), GM_ERR_NO_STORE, or GM_ERR_STORE_EMPTY. */
int gm_replay(gm_session *session, float *loss);

/* Begins a replay, as gm_begin() does a program, to run it in slices.
 *
 * program: GM_PROGRAM_STEP or GM_PROGRAM_TRAIN.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY, GM_ERR_NO_STORE, GM_ERR_STORE_EMPTY or
 * GM_ERR_NO_PROGRAM. */
int gm_begin_replay(gm_session *session, uint32_t program);

/* Counts the samples of a class in the store and infers them. *right becomes the number of samples
 * that the model assigns to that class.
 *
 * Returns the codes of gm_infer(), of gm_store_class_view() and of gm_classify(). *kept and *right
 * are valid after GM_OK. */
int gm_score(gm_session *session, uint32_t label, uint32_t *kept, uint32_t *right);

/* Begins INFER on stored samples of a class, as gm_score() does for each batch; gm_classify() then
 * reads the results.
 *
 * first: the first of the class's samples to take, from 0. *rows: how many were taken, at most as
 * many as the input holds.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY, GM_ERR_NO_STORE, GM_ERR_LABEL_OUT_OF_RANGE,
 * GM_ERR_NO_PROGRAM, or GM_ERR_NOT_FOUND past the last sample. */
int gm_begin_recall(gm_session *session, uint32_t label, uint32_t first, uint32_t *rows);

/* ---- Learning rate --------------------------------------------------------------------------- */

/* Returns the learning rate of the next update, or 0 if the session is not open. */
float gm_learning_rate(const gm_session *session);

/* Sets the learning rate and ends any schedule.
 *
 * rate: finite, at least 0.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT or GM_ERR_BUSY. */
int gm_set_learning_rate(gm_session *session, float rate);

/* Starts a schedule at the next update. The rate rises linearly from 0 to `rate` in warmup_steps,
 * then falls linearly to 0 at total_steps, as in onnxruntime's LinearLRScheduler and transformers'
 * get_linear_schedule_with_warmup.
 *
 * rate: finite, at least 0. warmup_steps, total_steps: updates; warmup_steps is at most
 * total_steps, which is at least 1.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT or GM_ERR_BUSY. */
int gm_set_linear_schedule(gm_session *session, float rate, uint32_t warmup_steps, uint32_t total_steps);

/* Returns the counters, learning rate and schedule of the state, valid until gm_close(), or NULL if
 * the session is not open. */
const gm_control *gm_control_view(const gm_session *session);

/* Sets the seed of Dropout and of the store's random choices, and restarts Dropout's sequence.
 *
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT or GM_ERR_BUSY. */
int gm_set_seed(gm_session *session, uint32_t seed);

/* ---- Parameters ------------------------------------------------------------------------------ */

/* Returns how many parameters the image trains, or 0 if the session is not open. */
uint32_t gm_parameter_count(const gm_session *session);

/* Finds a parameter. You may write to it through the view. After this function, or any below that
 * gives a writable view of the state, the next update checks the whole state again.
 *
 * index: 0 to gm_parameter_count() - 1.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT or GM_ERR_NOT_FOUND. */
int gm_parameter(gm_session *session, uint32_t index, gm_view *out);

/* Finds a parameter by its name in the ONNX model.
 *
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT or GM_ERR_NOT_FOUND. */
int gm_parameter_named(gm_session *session, const char *name, gm_view *out);

/* Finds the accumulated gradient of a parameter. It is f32 whatever the parameter's type.
 *
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, or GM_ERR_NOT_FOUND if there is no such parameter or the
 * image does not keep its gradient. */
int gm_gradient(const gm_session *session, uint32_t index, gm_view *out);

/* Returns all trained parameters as one contiguous buffer, in the order of their indices. Each has
 * elements of its own type (see gm_parameter()) and begins at a multiple of 4 bytes, with padding
 * between them. The view has rank 0 and dims NULL; its dtype means nothing if the types differ.
 *
 * Returns GM_OK or GM_ERR_INVALID_ARGUMENT. */
int gm_parameters(gm_session *session, gm_view *out);

/* Sets all trained parameters from one buffer.
 *
 * data, size: laid out as by gm_parameters(), exactly parameters_size bytes.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY or GM_ERR_WRONG_SIZE. */
int gm_set_parameters(gm_session *session, const void *data, size_t size);

/* Computes out[i] = parameters[i] - the image's initial parameters[i], which is what a federated
 * client sends. The difference of integers is an integer of the same type, modulo 2^8, 2^16 or
 * 2^32, so that gm_apply_delta() restores their bits. You may average f32 differences of several
 * clients; widen integers first.
 *
 * out, size: laid out as by gm_parameters(), aligned to 4 bytes, and exactly parameters_size bytes.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY or GM_ERR_WRONG_SIZE. */
int gm_delta(const gm_session *session, float *out, size_t size);

/* Sets parameters[i] = initial parameters[i] + delta[i], integers modulo 2^8, 2^16 or 2^32.
 *
 * delta, size: laid out as by gm_delta().
 * Returns the codes of gm_delta(). */
int gm_apply_delta(gm_session *session, const float *delta, size_t size);

/* Returns a view of the whole state region: parameters, moments, control record, properties and
 * store. The view has rank 0, and dims is NULL.
 *
 * Returns GM_OK or GM_ERR_INVALID_ARGUMENT. */
int gm_state(gm_session *session, gm_view *out);

/* ---- Checkpoints ----------------------------------------------------------------------------- */

/* Writes `size` bytes at `offset` of a file. Returns 0, or anything else to give up. Calls come in
 * ascending order without gaps, except for the header, which comes last. */
typedef int (*gm_write_fn)(void *user, uint32_t offset, const void *data, uint32_t size);

/* Reads `size` bytes at `offset` of a file. Returns 0, or anything else to give up. */
typedef int (*gm_read_fn)(void *user, uint32_t offset, void *data, uint32_t size);

/* Returns the size of a checkpoint of this session in bytes, or 0 if the session is not open. */
uint32_t gm_checkpoint_size(const gm_session *session);

/* Saves the state.
 *
 * write: it gets `user` as its first argument.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY, or GM_ERR_IO if write() gave up. An
 * incomplete file has no header, so loading it fails. */
int gm_checkpoint_save(const gm_session *session, gm_write_fn write, void *user);

/* Saves parameters, statistics, properties and samples as they are. Moments, counters, rate, schedule
 * and seed are those that the image begins with, so the optimizer begins again from the file, which
 * has gm_checkpoint_size() bytes.
 *
 * Returns the codes of gm_checkpoint_save(). */
int gm_checkpoint_save_without_optimizer(const gm_session *session, gm_write_fn write, void *user);

/* Returns the size in bytes of the file that gm_checkpoint_save_half() writes, or 0 if the session
 * is not open. */
uint32_t gm_checkpoint_half_size(const gm_session *session);

/* Saves the state in about half the bytes, for slow links. Each float32 becomes binary16, with a
 * scale for each entry of the state (docs/SPEC.md, "Packed entries"). The file loads like any
 * other, but it is lossy: on a board, keep the full form.
 *
 * Returns the codes of gm_checkpoint_save(). */
int gm_checkpoint_save_half(const gm_session *session, gm_write_fn write, void *user);

/* Copies bytes [offset, offset + size) of the file that gm_checkpoint_save_half() would write, for
 * a link that takes the file in parts. The state must not change between the parts.
 *
 * Returns GM_OK, GM_ERR_BUSY, or GM_ERR_INVALID_ARGUMENT, also past the end of the file. */
int gm_checkpoint_part_half(const gm_session *session, uint32_t offset, void *data, uint32_t size);

/* Checks whether gm_checkpoint_load() would accept a file if no program were running. Changes
 * nothing, and may be called while a program runs.
 *
 * read, size: the file's bytes, and their number or more.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_TRUNCATED, GM_ERR_BAD_MAGIC, GM_ERR_BAD_VERSION,
 * GM_ERR_BAD_CRC, GM_ERR_WRONG_MODEL, or GM_ERR_IO if read() gave up. */
int gm_checkpoint_check(const gm_session *session, gm_read_fn read, void *user, size_t size);

/* Loads the state, after it has checked magic, version, checksum and model.
 *
 * Returns the codes of gm_checkpoint_check(), or GM_ERR_BUSY. A failure leaves the state unchanged,
 * unless storage fails on the second read of bytes that it has just delivered: then the state is
 * reset to the image's initial one. It is never a mixture. */
int gm_checkpoint_load(gm_session *session, gm_read_fn read, void *user, size_t size);

/* Loads from another model's checkpoint the entries that this model shares: parameters, running
 * statistics, moments and properties of equal name, dtype and shape. Everything else gets the
 * image's initial values, including rate, schedule, counters and store. Moments share their bias
 * corrections, so if one of them has no match in the file, all are reset.
 *
 * *carried: how many entries of the state were loaded.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY, GM_ERR_TRUNCATED, GM_ERR_BAD_MAGIC,
 * GM_ERR_BAD_CRC, GM_ERR_BAD_STATE, GM_ERR_BAD_VERSION (also for a file of
 * gm_checkpoint_save_half()), or GM_ERR_IO if read() gave up. The whole file is checked before the
 * state changes. If storage fails after that, the state is reset to the image's initial one. */
int gm_checkpoint_carry_over(gm_session *session, gm_read_fn read, void *user, size_t size, uint32_t *carried);

/* ---- Export: the trained model as ONNX -------------------------------------------------------- */

/* An export table, from `gradmote compile --export-table`, has the model's .onnx file and the places
 * of the state's numbers in it (docs/SPEC.md, "Export table"). With it a device writes the trained
 * model by itself, byte for byte as `gradmote export` does:
 *
 *     gm_export(&session, read_table, write_onnx, &files, size);
 *
 * Checks whether it is one of the session's model, and all of it is sound. Changes nothing.
 *
 * read, size: the file's bytes, and their number or more. *model_size: bytes of the trained model.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY, GM_ERR_TRUNCATED, GM_ERR_BAD_MAGIC,
 * GM_ERR_BAD_VERSION, GM_ERR_BAD_CRC, GM_ERR_WRONG_MODEL, GM_ERR_BAD_SECTION for a range that
 * leaves the model or the state, GM_ERR_DOES_NOT_FIT, or GM_ERR_IO if read() gave up. */
int gm_export_check(const gm_session *session, gm_read_fn read, void *user, size_t size, uint32_t *model_size);

/* Copies bytes [offset, offset + size) of the trained model, for a link that takes it in parts. The
 * state must not change between the parts. gm_export_check() has accepted the file; what storage
 * delivers differently now is refused, or gives other bytes of the model.
 *
 * Returns GM_OK, GM_ERR_BUSY, GM_ERR_BAD_SECTION, GM_ERR_IO, or GM_ERR_INVALID_ARGUMENT, also past
 * the end of the model. */
int gm_export_part(const gm_session *session, gm_read_fn read, void *user, uint32_t offset, void *data, uint32_t size);

/* Writes the trained model, after it has checked the whole file. Needs 64 bytes of stack as a
 * buffer.
 *
 * read, write: they get `user` as their first argument. write() is called in ascending order.
 * Returns the codes of gm_export_check(), or GM_ERR_IO if write() gave up. */
int gm_export(const gm_session *session, gm_read_fn read, gm_write_fn write, void *user, size_t size);

/* ---- Rounds: federated learning ---------------------------------------------------------------- */

/* A round of federated learning. It begins with a *base*, the parameters that all devices have in
 * common. Each device trains and sends a *delta*: the difference of its parameters from the base,
 * quantized to 2, 4 or 8 bits per number (docs/SPEC.md, "Delta"). The server replies with a delta
 * too, from this base to that of the next round.
 *
 *     gm_federated_round round = {base, NULL, 1, 4, device_number, 0};
 *     size = gm_round_delta_size(&session, &round);
 *     gm_round_delta_part(&session, &round, 0, buffer, size);   // or in parts
 *     ...
 *     gm_round_apply(&session, &round, received, size);         // the parameters are the next base
 *
 * If flash holds the base, save the next one with gm_round_save() before gm_round_apply(). */
typedef struct gm_federated_round {
    const void *base; /* laid out as by gm_parameters(), aligned to 4 bytes; NULL: the image's initial ones */
    const uint8_t *shared; /* bit i % 8 of byte i / 8 is set if parameter i is sent; NULL: all are */
    uint32_t number; /* of the round, the same on all devices */
    uint32_t bits; /* per number sent: 2, 4 or 8 */
    uint32_t seed; /* of the rounding; different on each device, so that errors cancel out */
    uint32_t keep_loss; /* 1: gm_round_apply() adds this device's quantization error to the new base */
} gm_federated_round;

/* Returns the size in bytes of this round's delta, or 0 if the session is not open or bits is not
 * 2, 4 or 8. It does not depend on the numbers. */
uint32_t gm_round_delta_size(const gm_session *session, const gm_federated_round *round);

/* Copies bytes [offset, offset + size) of this round's delta, for a link that takes it in parts.
 * Each call computes them again, without a buffer. Parameters and base must not change between the
 * parts.
 *
 * Returns GM_OK, GM_ERR_BUSY, GM_ERR_INVALID_ARGUMENT, also past the end, or GM_ERR_NOT_FINITE if a
 * difference is NaN or at least 2^61. */
int gm_round_delta_part(const gm_session *session, const gm_federated_round *round, uint32_t offset, void *data,
                        uint32_t size);

/* Checks whether a delta leads from the base of this round to that of the next. Changes nothing.
 *
 * delta, size: aligned to 4 bytes; the file's bytes, and their number or more. bits, seed and
 * shared of the round are ignored: the file lists its parameters.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY, GM_ERR_TRUNCATED, GM_ERR_BAD_MAGIC,
 * GM_ERR_BAD_VERSION, GM_ERR_BAD_CRC, GM_ERR_WRONG_MODEL, GM_ERR_OTHER_BASE, or GM_ERR_NOT_FINITE
 * if a parameter would be NaN or at least 2^60. */
int gm_round_check(const gm_session *session, const gm_federated_round *round, const void *delta, size_t size);

/* Sets the parameters in the delta to the base of the next round; the others stay. If keep_loss is
 * 1, it adds what this device's own delta (by bits and seed of the round) lost to rounding:
 * (parameter - base) minus the quantized difference.
 *
 * Returns the codes of gm_round_check(). A failure leaves the parameters unchanged. */
int gm_round_apply(gm_session *session, const gm_federated_round *round, const void *delta, size_t size);

/* Saves a checkpoint of the session, with the base of the next round as its parameters.
 *
 * write: it gets `user` as its first argument.
 * Returns the codes of gm_round_check(), or GM_ERR_IO if write() gave up. */
int gm_round_save(const gm_session *session, const gm_federated_round *round, const void *delta, size_t size,
                  gm_write_fn write, void *user);

/* ---- Properties: named numbers kept with the state ------------------------------------------- */

/* Sets the property with this key to an integer.
 *
 * key: 1 to 19 bytes of UTF-8, zero-terminated.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY, or GM_ERR_FULL if the key is new and no
 * property is free. */
int gm_property_set_i32(gm_session *session, const char *key, int32_t value);

/* Sets the property with this key to a float. See gm_property_set_i32(). */
int gm_property_set_f32(gm_session *session, const char *key, float value);

/* Copies the property with this key.
 *
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT or GM_ERR_NOT_FOUND. */
int gm_property_get(const gm_session *session, const char *key, gm_property *out);

/* Copies the index-th of the set properties.
 *
 * index: from 0.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, or GM_ERR_NOT_FOUND past the last one. */
int gm_property_at(const gm_session *session, uint32_t index, gm_property *out);

/* Removes the property with this key.
 *
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY or GM_ERR_NOT_FOUND. */
int gm_property_remove(gm_session *session, const char *key);

/* ---- Checksums ------------------------------------------------------------------------------- */

/* Returns the CRC-32 of `size` bytes (IEEE 802.3, as zlib's crc32).
 *
 * crc: of the preceding bytes, or 0 to start. */
uint32_t gm_crc32(uint32_t crc, const void *data, size_t size);

#ifdef __cplusplus
}
#endif

#endif
