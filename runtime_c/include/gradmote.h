/*
 * Gradmote trains a neural network in fixed memory.
 *
 * The caller owns everything: the image (a .mote file, which is used in place, typically in flash),
 * one arena of gm_required() bytes, and the session struct. Nothing is allocated and nothing is
 * global, so two sessions are independent. gm_open() verifies the image once; the executor trusts
 * it from then on.
 *
 *     static gm_session session;
 *     static uint32_t arena[ARENA_SIZE / 4];        // 16-byte aligned
 *     gm_open(&session, image, image_size, arena, sizeof arena);
 *     gm_write(&session, GM_ROLE_INPUT, 0, pixels, sizeof pixels);
 *     gm_write(&session, GM_ROLE_LABEL, 0, labels, sizeof labels);
 *     gm_step(&session, &loss);                     // forward, backward and update
 *
 * Functions that return int return GM_OK (0), or a negative gm_error; only gm_run() returns
 * GM_AGAIN (1) too. The comments name all codes. GM_ERR_INVALID_ARGUMENT is returned for a NULL
 * where none is allowed and for a session that is not open, and GM_ERR_BUSY while a program runs
 * between gm_begin() and its end.
 *
 * A call that fails leaves parameters and optimizer state as they were, with two exceptions. Where
 * a gradient overflows in gm_step() (GM_ERR_NOT_FINITE), layers behind the one where it does may
 * have been updated. Where storage fails on the second reading of a checkpoint, the state becomes
 * the image's initial one.
 *
 * A session serves one thread at a time.
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

/* Returns 1 where this build of the runtime has the kernel of an opcode or an update rule (their
 * numbers are in docs/SPEC.md), else 0. gm_open() refuses an image that needs one which is not
 * there, with GM_ERR_BAD_OPCODE. */
int gm_has_opcode(uint32_t opcode);
int gm_has_rule(uint32_t rule);

/* ---- Session --------------------------------------------------------------------------------- */

#define GM_MAX_PARTS 16

/* Does one part of an instruction that was split. part: 0 to the number of parts - 1. */
typedef void (*gm_task)(void *argument, uint32_t part);

/* The caller's threads. run() calls task(argument, part) once for each part, in any order and on
 * any threads. It returns when all of these calls have returned. */
typedef struct gm_splitter {
    void (*run)(void *context, uint32_t parts, gm_task task, void *argument);
    void *context;               /* run() gets it as its first argument */
    uint32_t parts;              /* the most parts that run() takes at once, 1 to GM_MAX_PARTS */
    uint32_t least;              /* elements of a part at least, or 8 times as many products; >= 1 */
} gm_splitter;

/* A session. The caller owns it, and treats its fields as private. It takes 60 bytes on a 32-bit
 * part, whatever gm_config.h leaves out: the caller and the runtime may be built with different
 * options. */
typedef struct gm_session {
    const uint8_t *image;
    const gm_header *header;
    uint8_t *arena;
    const uint8_t *constants;
    const uint32_t *pc;          /* the next instruction of the running program, or NULL */
    const uint32_t *end;
    const uint32_t *loop;        /* the first instruction of the LOOP that runs, or NULL */
    uint32_t iteration;          /* of that LOOP, from 0 on */
    uint32_t running;            /* gm_program_kind of the running program */
    uint32_t instructions;       /* how many were executed since gm_open(), modulo 2^32 */
    uint16_t borrowed;           /* 1: the first input sample is put aside until the program ends */
    uint16_t proven;             /* what of the state and rate is known to be sound */
    const gm_splitter *splitter; /* NULL: one thread */
    uint32_t spare : 28;         /* bytes after the image's arena, for each part but the first */
    uint32_t sums : 3;           /* gm_sums_kind of the gradients in TRAIN */
    uint32_t fresh : 1;          /* 1: the gradients of the running TRAIN start from zero */
    uint32_t range_start;        /* of an instruction's axis, of which this part has a range */
    uint32_t range_length;       /* 0: all of it */
} gm_session;

/* The memory that an image needs, and the batch and programs that it offers. It can be read before
 * the image is opened. */
typedef struct gm_requirements {
    uint32_t arena_size;         /* bytes */
    uint32_t state_size;         /* bytes */
    uint32_t parameters_size;    /* bytes */
    uint32_t gradients_size;     /* bytes */
    uint32_t batch;              /* samples in one step */
    uint32_t programs;           /* bit p is set where the image has program kind p */
} gm_requirements;

/* A view of an input, output, parameter or gradient in the arena. It is valid until gm_close(). */
typedef struct gm_view {
    const char *name;            /* zero-terminated, or NULL where names were stripped */
    void *data;
    uint32_t size;               /* bytes */
    uint32_t dtype;              /* gm_dtype_kind */
    uint32_t rank;               /* 0 to GM_MAX_RANK */
    const uint32_t *dims;        /* the `rank` dims of the ONNX model's own shape */
    uint32_t lasts;              /* 0: programs overwrite the contents, as they do outputs */
} gm_view;

/* Reads from an image's header what the image needs. The rest of the image is not verified.
 *
 * image: 16-byte aligned. image_size: bytes from there to the end of the image, or more.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_TRUNCATED, GM_ERR_BAD_MAGIC or
 * GM_ERR_BAD_VERSION. */
int gm_required(const void *image, size_t image_size, gm_requirements *out);

/* Checks whether gm_open() would accept the image with an arena of arena_size bytes. It writes
 * nothing.
 *
 * image, image_size: as for gm_required().
 * Returns GM_OK, the codes of gm_required(), GM_ERR_ARENA_TOO_SMALL, or what is wrong in the image:
 * GM_ERR_BAD_CRC, GM_ERR_BAD_SECTION, GM_ERR_BAD_REGION, GM_ERR_BAD_TENSOR, GM_ERR_BAD_STORE,
 * GM_ERR_BAD_STATE, GM_ERR_BAD_PROGRAM, GM_ERR_BAD_OPCODE, GM_ERR_BAD_INSTRUCTION,
 * GM_ERR_BAD_OPERAND or GM_ERR_TOO_MUCH_WORK. */
int gm_verify_image(const void *image, size_t image_size, size_t arena_size);

/* Verifies the whole image (docs/SPEC.md, "What is verified"), opens a session on it, and sets the
 * state to its initial values.
 *
 * image: as for gm_required(). It must stay in place, unchanged, while the session is open.
 * arena: 16-byte aligned, arena_size bytes, apart from the image. It belongs to the session until
 * gm_close().
 * Returns GM_OK, the codes of gm_verify_image(), or GM_ERR_WRONG_ARITHMETIC if the runtime's
 * build or the processor's mode does not round as its numerics profile says. After a failure the
 * session is not open, and the arena is as it was. */
int gm_open(gm_session *session, const void *image, size_t image_size, void *arena, size_t arena_size);

/* Sets parameters, moments, running statistics, counters, properties and the store back to the
 * image's initial values, and drops accumulated gradients.
 *
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT or GM_ERR_BUSY. */
int gm_reset(gm_session *session);

/* Ends a session, and a program that runs in it. The caller may use image and arena for something
 * else then. A NULL, or a session that is not open, does no harm. */
void gm_close(gm_session *session);

/* Returns a sentence for a code that a function returned. It is never NULL. */
const char *gm_error_text(int error);

/* Returns what to do about an error. It is never NULL. */
const char *gm_error_hint(int error);

/* ---- Data in and out ------------------------------------------------------------------------- */

/* Finds the index-th tensor with that role in that program.
 *
 * An input or a label has one address for all programs. Where its `lasts` is 1, no program
 * overwrites
 * it: it is written once, and can be inferred, evaluated and trained on. Where it is 0 (the image
 * was compiled so, for a smaller arena), write it again before each run. An output must be read
 * before the next program runs.
 *
 * program: gm_program_kind. role: gm_role_kind. index: from 0.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, or GM_ERR_NOT_FOUND past the last one. */
int gm_tensor_view(const gm_session *session, uint32_t program, uint32_t role, uint32_t index, gm_view *out);

/* Copies a whole input or label into the arena.
 *
 * role: GM_ROLE_INPUT or GM_ROLE_LABEL. index: from 0, over all programs. data, size: the tensor's
 * elements as float or int32_t, and exactly its size in bytes.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY, GM_ERR_NOT_FOUND or GM_ERR_WRONG_SIZE. After
 * a failure the tensor is as it was. */
int gm_write(gm_session *session, uint32_t role, uint32_t index, const void *data, size_t size);

/* ---- Running --------------------------------------------------------------------------------- */

/* Each of the next five functions runs one program to its end, on the inputs and labels that are in
 * the arena. `loss` may be NULL.
 *
 * All of them return GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY, GM_ERR_NO_PROGRAM where the image
 * lacks the program, or what is wrong with the data: GM_ERR_LABEL_OUT_OF_RANGE,
 * GM_ERR_INDEX_OUT_OF_RANGE or GM_ERR_NOT_FINITE. A step that such data end is skipped. */

/* Makes the outputs of INFER from the inputs. */
int gm_infer(gm_session *session);

/* Makes the outputs of EVAL and the mean loss of the batch. It trains nothing. */
int gm_eval_step(gm_session *session, float *loss);

/* Adds the gradients of one micro-batch to the gradient region. */
int gm_train_step(gm_session *session, float *loss);

/* Applies the mean of the accumulated gradients, then moves the learning-rate schedule one step on.
 *
 * Returns GM_ERR_NO_GRADIENTS too, where gm_train_step() has made none since the last update. Where
 * the update is refused, the gradients are dropped. */
int gm_optimizer_step(gm_session *session);

/* Trains on the batch and updates, in one program that never holds all gradients. It takes the
 * smallest arena. `loss` is that before the update. */
int gm_step(gm_session *session, float *loss);

/* Makes the next gm_train_step() start from zero gradients.
 *
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT or GM_ERR_BUSY. */
int gm_lazy_reset_grad(gm_session *session);

/* Begins a program that gm_run() then executes in slices. Until it has ended, calls that touch the
 * state return GM_ERR_BUSY.
 *
 * program: gm_program_kind.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY, GM_ERR_NO_PROGRAM, or GM_ERR_NO_GRADIENTS
 * for OPTIMIZER without gradients. */
int gm_begin(gm_session *session, uint32_t program);

/* Executes up to max_instructions of the program that was begun.
 *
 * Returns GM_AGAIN while instructions remain, and GM_OK at the program's end.
 * GM_ERR_LABEL_OUT_OF_RANGE, GM_ERR_INDEX_OUT_OF_RANGE and GM_ERR_NOT_FINITE end the program too.
 * Returns GM_ERR_INVALID_ARGUMENT where no program was begun. */
int gm_run(gm_session *session, uint32_t max_instructions);

/* Drops the rest of the program that was begun, if there is one. Dropping TRAIN drops the
 * accumulated gradients with it. Dropping STEP or OPTIMIZER leaves an update that is partly
 * applied, so finish these instead. */
void gm_abort(gm_session *session);

#if GM_THREADS
/* Lets instructions that have enough work run in parts on the caller's threads. Each part computes
 * outputs of its own, so all bits stay the same.
 *
 * splitter: it must stay in place while the session is open. NULL: back to one thread.
 * arena_size: that of gm_open(). What it has beyond the image's need holds rows of gradients that
 * parts take to an update rule; without that room, such instructions run whole. parameters_size
 * bytes for each part but the first are always enough.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT or GM_ERR_BUSY. */
int gm_set_splitter(gm_session *session, const gm_splitter *splitter, size_t arena_size);
#endif

/* Reads the loss of the last EVAL, TRAIN or STEP that ended. Read it before another program runs.
 *
 * program: the kind that ended.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, or GM_ERR_NOT_FOUND where the program has no loss. */
int gm_loss(const gm_session *session, uint32_t program, float *loss);

/* Finds the class with the highest score in one row of INFER's first output, the lowest class of
 * equal ones.
 *
 * row: from 0. *label, *score: the class and its score, as the model makes it: of an i8, u8 or i16
 * output it is the integer, which neither scale nor zero point has been applied to.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, or GM_ERR_NOT_FOUND where the output is not
 * [rows, classes] of f32, i8, u8 or i16, or has no such row. */
int gm_classify(const gm_session *session, uint32_t row, uint32_t *label, float *score);

/* Returns the name of a class, UTF-8 in the image; NULL where the image has no such name.
 *
 * label: from 0, the place of the class's score in INFER's first output. */
const char *gm_class_name(const gm_session *session, uint32_t label);

/* ---- The sample store: teaching by hand ------------------------------------------------------ */

/* A description of the sample store, and of how much it holds.
 *
 * An image that was compiled with --store N keeps up to N samples with their labels in its state,
 * so that a checkpoint carries them, and trains on them again. Without a store, and in a build
 * without GM_WITH_STORE, the functions below return GM_ERR_NO_STORE.
 *
 *     gm_write(&session, GM_ROLE_INPUT, 0, pixels, sizeof pixels);
 *     gm_learn(&session, 7);                        // this is a 7
 *     gm_replay(&session, &loss);                   // whenever there is time */
typedef struct gm_store_info {
    uint32_t capacity;           /* samples */
    uint32_t classes;            /* labels are 0 to classes - 1 */
    uint32_t dtype;              /* gm_store_dtype_kind: how samples are kept */
    uint32_t elements;           /* of one sample */
    uint32_t kept;               /* samples in the store */
} gm_store_info;

/* Reads what the store is, and how much it holds.
 *
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY or GM_ERR_NO_STORE. */
int gm_store_view(const gm_session *session, gm_store_info *out);

/* Reads how many samples of a class were learnt, and how many are in the store.
 *
 * Returns the codes of gm_store_view(), or GM_ERR_LABEL_OUT_OF_RANGE. */
int gm_store_class_view(const gm_session *session, uint32_t label, gm_store_class *out);

/* Takes the first sample of the input into the store, with this label. A full store keeps classes
 * balanced (docs/NUMERICS.md, "The sample store"): the sample may replace another one, or not be
 * kept. Where the image overwrites inputs, call this before a program runs.
 *
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY, GM_ERR_NO_STORE, GM_ERR_LABEL_OUT_OF_RANGE,
 * or GM_ERR_NOT_FINITE where the sample has a NaN or an infinity. After a failure the store is as
 * it was. */
int gm_learn(gm_session *session, uint32_t label);

/* Drops every sample of a class, and the count of those that were learnt.
 *
 * Returns the codes of gm_store_class_view(). */
int gm_forget(gm_session *session, uint32_t label);

/* Runs gm_step() on samples of the store, drawn so that each class is as likely as any other.
 * Afterwards the input's first sample is the caller's again, where inputs last. The other samples
 * and the labels are those that were drawn.
 *
 * Returns the codes of gm_step(), GM_ERR_NO_STORE, or GM_ERR_STORE_EMPTY. */
int gm_replay(gm_session *session, float *loss);

/* Begins a replay in place of gm_begin(), to run it in slices.
 *
 * program: GM_PROGRAM_STEP or GM_PROGRAM_TRAIN.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY, GM_ERR_NO_STORE, GM_ERR_STORE_EMPTY or
 * GM_ERR_NO_PROGRAM. */
int gm_begin_replay(gm_session *session, uint32_t program);

/* Counts the samples of a class in the store, and infers them: *right is how many of them the model
 * gives that class.
 *
 * Returns the codes of gm_infer(), of gm_store_class_view() and of gm_classify(). *kept and *right
 * are valid after GM_OK. */
int gm_score(gm_session *session, uint32_t label, uint32_t *kept, uint32_t *right);

/* Begins INFER on stored samples of a class, as gm_score() does for each batch; gm_classify() then
 * reads what became of them.
 *
 * first: the first of the class's samples to take, from 0. *rows: how many were taken, as many as
 * the input holds at the most.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY, GM_ERR_NO_STORE, GM_ERR_LABEL_OUT_OF_RANGE,
 * GM_ERR_NO_PROGRAM, or GM_ERR_NOT_FOUND past the last sample. */
int gm_begin_recall(gm_session *session, uint32_t label, uint32_t first, uint32_t *rows);

/* ---- Learning rate --------------------------------------------------------------------------- */

/* Returns the learning rate of the next update, or 0 where the session is not open. */
float gm_learning_rate(const gm_session *session);

/* Sets the learning rate and ends any schedule.
 *
 * rate: finite, at least 0.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT or GM_ERR_BUSY. */
int gm_set_learning_rate(gm_session *session, float rate);

/* Sets a schedule from the next update on. The rate rises linearly from 0 to `rate` in
 * warmup_steps, then falls linearly to 0 at total_steps. The formula is that of onnxruntime's
 * LinearLRScheduler and of transformers' get_linear_schedule_with_warmup.
 *
 * rate: finite, at least 0. warmup_steps, total_steps: updates; warmup_steps is at most
 * total_steps, which is at least 1.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT or GM_ERR_BUSY. */
int gm_set_linear_schedule(gm_session *session, float rate, uint32_t warmup_steps, uint32_t total_steps);

/* Returns the counters, learning rate and schedule of the state, or NULL where the session is not
 * open. It is valid until gm_close(). */
const gm_control *gm_control_view(const gm_session *session);

/* Sets the seed of Dropout and of random choices in the store, and restarts Dropout's sequence.
 *
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT or GM_ERR_BUSY. */
int gm_set_seed(gm_session *session, uint32_t seed);

/* ---- Parameters ------------------------------------------------------------------------------ */

/* Returns how many parameters the image trains, or 0 where the session is not open. */
uint32_t gm_parameter_count(const gm_session *session);

/* Finds a parameter. It may be written to through the view. After this call, and after each of
 * those below that give a writable view of the state, the next update checks the whole state anew.
 *
 * index: 0 to gm_parameter_count() - 1.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT or GM_ERR_NOT_FOUND. */
int gm_parameter(gm_session *session, uint32_t index, gm_view *out);

/* Finds a parameter by its name in the ONNX model.
 *
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT or GM_ERR_NOT_FOUND. */
int gm_parameter_named(gm_session *session, const char *name, gm_view *out);

/* Finds the accumulated gradient of a parameter. It is f32 for parameters of every type.
 *
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, or GM_ERR_NOT_FOUND where there is no such parameter or
 * the image keeps no gradient of it. */
int gm_gradient(const gm_session *session, uint32_t index, gm_view *out);

/* Gives all trained parameters as one contiguous buffer, in the order of their indices. Each has the
 * numbers of its own type, which gm_parameter() tells, and begins at a multiple of 4 bytes; bytes
 * between two of them are no number's. The view has rank 0, its dtype means nothing where types
 * differ, and dims is NULL.
 *
 * Returns GM_OK or GM_ERR_INVALID_ARGUMENT. */
int gm_parameters(gm_session *session, gm_view *out);

/* Sets all trained parameters from one buffer.
 *
 * data, size: what gm_parameters() gives, exactly parameters_size bytes.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY or GM_ERR_WRONG_SIZE. */
int gm_set_parameters(gm_session *session, const void *data, size_t size);

/* Computes out[i] = parameters[i] - initial parameters[i] of the image, which is what a federated
 * client sends. The difference of integers is an integer of their own type, modulo 2^8, 2^16 or
 * 2^32, so that gm_apply_delta() gives back their bits. Differences of one client may be averaged
 * with those of others where they are f32; integers must be widened first.
 *
 * out, size: of the form of gm_parameters(), aligned to 4 bytes, and exactly parameters_size bytes.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY or GM_ERR_WRONG_SIZE. */
int gm_delta(const gm_session *session, float *out, size_t size);

/* Sets parameters[i] = initial parameters[i] + delta[i], integers modulo 2^8, 2^16 or 2^32.
 *
 * delta, size: of the form that gm_delta() makes.
 * Returns the codes of gm_delta(). */
int gm_apply_delta(gm_session *session, const float *delta, size_t size);

/* Gives the whole state region: parameters, moments, control record, properties and store. The view
 * has rank 0, and dims is NULL.
 *
 * Returns GM_OK or GM_ERR_INVALID_ARGUMENT. */
int gm_state(gm_session *session, gm_view *out);

/* ---- Checkpoints ----------------------------------------------------------------------------- */

/* Writes `size` bytes at `offset` of a file. Returns 0, or anything else to give up. Writes come in
 * ascending order without gaps, except for the header, which is written last. */
typedef int (*gm_write_fn)(void *user, uint32_t offset, const void *data, uint32_t size);

/* Reads `size` bytes at `offset` of a file. Returns 0, or anything else to give up. */
typedef int (*gm_read_fn)(void *user, uint32_t offset, void *data, uint32_t size);

/* Returns the size of a checkpoint of this session in bytes, or 0 where the session is not open. */
uint32_t gm_checkpoint_size(const gm_session *session);

/* Saves the state.
 *
 * write: it gets `user` as its first argument.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY, or GM_ERR_IO where write() gave up. A file
 * whose writing was broken off has no header, and is refused when it is loaded. */
int gm_checkpoint_save(const gm_session *session, gm_write_fn write, void *user);

/* Returns the size of what gm_checkpoint_save_half() writes in bytes, or 0 where the session is not
 * open. */
uint32_t gm_checkpoint_half_size(const gm_session *session);

/* Saves the state in about half the bytes, for slow links. Numbers of float32 become binary16, and
 * each entry of the state has a scale of its own (docs/SPEC.md, "Packed entries"). The file is
 * loaded like any other, but bits of its numbers are lost: keep the other form on a board.
 *
 * Returns the codes of gm_checkpoint_save(). */
int gm_checkpoint_save_half(const gm_session *session, gm_write_fn write, void *user);

/* Copies bytes [offset, offset + size) of what gm_checkpoint_save_half() would write, for a link
 * that takes the file in parts. The state must not change between the parts.
 *
 * Returns GM_OK, GM_ERR_BUSY, or GM_ERR_INVALID_ARGUMENT also past the end of the file. */
int gm_checkpoint_part_half(const gm_session *session, uint32_t offset, void *data, uint32_t size);

/* Checks whether gm_checkpoint_load() would accept a file, were no program running. It changes
 * nothing, and may be called while a program runs.
 *
 * read, size: the file's bytes, and how many there are or more.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_TRUNCATED, GM_ERR_BAD_MAGIC, GM_ERR_BAD_VERSION,
 * GM_ERR_BAD_CRC, GM_ERR_WRONG_MODEL, or GM_ERR_IO where read() gave up. */
int gm_checkpoint_check(const gm_session *session, gm_read_fn read, void *user, size_t size);

/* Loads the state. Magic, version, checksum and model are checked before the state changes.
 *
 * Returns the codes of gm_checkpoint_check(), or GM_ERR_BUSY. After a failure the state is as it
 * was. Only where storage fails on the second reading of what it has just delivered, the state
 * becomes the image's initial one; it is never a mixture. */
int gm_checkpoint_load(gm_session *session, gm_read_fn read, void *user, size_t size);

/* Takes over from another model's checkpoint what this model has too: parameters, running
 * statistics, moments and properties of equal name, dtype and shape. Everything else gets the
 * image's initial values, among them rate, schedule, counters and store. Moments share their bias
 * corrections, so all of them get their initial values where one of them has no match in the file.
 *
 * *carried: how many entries of the state were taken over.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY, GM_ERR_TRUNCATED, GM_ERR_BAD_MAGIC,
 * GM_ERR_BAD_CRC, GM_ERR_BAD_STATE, GM_ERR_BAD_VERSION (also for a file of
 * gm_checkpoint_save_half()), or GM_ERR_IO where read() gave up. The file is checked as a whole
 * before the state changes. Where storage fails after that, the state becomes the image's initial
 * one. */
int gm_checkpoint_carry_over(gm_session *session, gm_read_fn read, void *user, size_t size, uint32_t *carried);

/* ---- Rounds: federated learning ---------------------------------------------------------------- */

/* A round of federated learning. It begins with a *base*, the parameters that all devices have in
 * common. Each device trains, and sends a *delta*: the difference of its parameters from the base,
 * quantized to 2, 4 or 8 bits for each number (docs/SPEC.md, "Delta"). What comes back is a delta
 * too: that from this base to the one of the next round.
 *
 *     gm_federated_round round = {base, NULL, 1, 4, device_number, 0};
 *     size = gm_round_delta_size(&session, &round);
 *     gm_round_delta_part(&session, &round, 0, buffer, size);   // or in parts
 *     ...
 *     gm_round_apply(&session, &round, received, size);         // the parameters are the next base
 *
 * Where flash holds the base, keep the next one by gm_round_save() before that. */
typedef struct gm_federated_round {
    const void *base; /* of the form of gm_parameters(), aligned to 4 bytes; NULL: the image's initial ones */
    const uint8_t *shared; /* bit i % 8 of byte i / 8 is set where parameter i is sent; NULL: all are */
    uint32_t number; /* of the round; all devices have the same */
    uint32_t bits; /* of a number that is sent: 2, 4 or 8 */
    uint32_t seed; /* of the rounding; each device has its own, so that errors cancel out */
    uint32_t keep_loss; /* 1: gm_round_apply() adds to the new base what quantization lost here */
} gm_federated_round;

/* Returns the bytes of the delta of this round, or 0 where the session is not open or bits is none
 * of 2, 4 and 8. It does not depend on the numbers. */
uint32_t gm_round_delta_size(const gm_session *session, const gm_federated_round *round);

/* Copies bytes [offset, offset + size) of this round's delta, for a link that takes it in parts. It is
 * made anew each time, without a buffer. Parameters and base must not change between the parts.
 *
 * Returns GM_OK, GM_ERR_BUSY, GM_ERR_INVALID_ARGUMENT also past the end, or GM_ERR_NOT_FINITE where a
 * difference is NaN or 2^61 and more. */
int gm_round_delta_part(const gm_session *session, const gm_federated_round *round, uint32_t offset, void *data,
                        uint32_t size);

/* Checks whether a delta leads from the base of this round to a next one. It changes nothing.
 *
 * delta, size: aligned to 4 bytes; the file's bytes, and how many there are or more. bits, seed and shared of the round are
 * not looked at: the file says which parameters it has.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY, GM_ERR_TRUNCATED, GM_ERR_BAD_MAGIC,
 * GM_ERR_BAD_VERSION, GM_ERR_BAD_CRC, GM_ERR_WRONG_MODEL, GM_ERR_OTHER_BASE, or GM_ERR_NOT_FINITE where
 * a parameter would be NaN or come to 2^60 or more. */
int gm_round_check(const gm_session *session, const gm_federated_round *round, const void *delta, size_t size);

/* Sets the parameters that the delta has to the base of the next round; the others stay. Where
 * keep_loss is 1, it adds (parameter - base) - what this round's delta said of that, by bits and seed
 * of the round.
 *
 * Returns the codes of gm_round_check(). After a failure the parameters are as they were. */
int gm_round_apply(gm_session *session, const gm_federated_round *round, const void *delta, size_t size);

/* Saves a checkpoint of the session as it is, but with the base of the next round as its parameters.
 *
 * write: it gets `user` as its first argument.
 * Returns the codes of gm_round_check(), or GM_ERR_IO where write() gave up. */
int gm_round_save(const gm_session *session, const gm_federated_round *round, const void *delta, size_t size,
                  gm_write_fn write, void *user);

/* ---- Properties: named numbers kept with the state ------------------------------------------- */

/* Sets the property with that key to an integer.
 *
 * key: 1 to 19 bytes of UTF-8, zero-terminated.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY, or GM_ERR_FULL where the key is new and no
 * property is free. */
int gm_property_set_i32(gm_session *session, const char *key, int32_t value);

/* Sets the property with that key to a float, as gm_property_set_i32() sets it to an integer. */
int gm_property_set_f32(gm_session *session, const char *key, float value);

/* Copies the property with that key.
 *
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT or GM_ERR_NOT_FOUND. */
int gm_property_get(const gm_session *session, const char *key, gm_property *out);

/* Copies the index-th property that is set.
 *
 * index: from 0.
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, or GM_ERR_NOT_FOUND past the last one. */
int gm_property_at(const gm_session *session, uint32_t index, gm_property *out);

/* Removes the property with that key.
 *
 * Returns GM_OK, GM_ERR_INVALID_ARGUMENT, GM_ERR_BUSY or GM_ERR_NOT_FOUND. */
int gm_property_remove(gm_session *session, const char *key);

/* ---- Checksums ------------------------------------------------------------------------------- */

/* Returns the CRC-32 (IEEE 802.3, as zlib's crc32) of `size` bytes.
 *
 * crc: that of the bytes before, or 0 to start. */
uint32_t gm_crc32(uint32_t crc, const void *data, size_t size);

#ifdef __cplusplus
}
#endif

#endif
