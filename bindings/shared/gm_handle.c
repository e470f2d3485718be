/*
 * Sessions by number. The owner of a slot is one number: 0 if it is free, a handle if the session
 * is open and idle, and the negative handle while a thread is in a call. A call takes its slot by
 * one compare-and-swap, so handles need no lock, and closed ones are detected.
 */
#include "gm_handle.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "program.h"
#include "x86.h"

#if GM_THREADS
#include "gm_threads.h"
#define MOST_THREADS GM_MAX_PARTS
#else
#define MOST_THREADS 1
#endif

/* Limits of gm_open(), and of the bytes that a thread may take for rows of gradients or blocks of
 * scores. */
#define ARENA_LIMIT (1u << 30)
#define SPARE_LIMIT (1u << 20)

#define ALIGNMENT 16u

/* The most inputs, and labels, that can be written with fewer samples than the batch. */
#define MOST_GIVEN 16u

/* All memory of one session. The image follows it in the same allocation. */
typedef struct owned {
    gm_session session;          /* first, so that its address is that of the owner */
    void *arena;                 /* as allocated */
    uint32_t given[2][MOST_GIVEN]; /* the samples of each input and label; 0: the whole batch */
    uint32_t counted;            /* the samples of the last run; 0: the whole batch */
#if GM_THREADS
    gm_threads *threads;
#endif
} owned;

typedef struct slot {
    int64_t owner;               /* atomic */
    owned *memory;               /* belongs to the thread that has taken the slot */
} slot;

/* A file in memory. */
typedef struct file {
    uint8_t *bytes;
    size_t size;
} file;

static slot slots[GM_HANDLES];
static int64_t opened;           /* atomic: number of handles ever opened, so that none is reused */

/* ---- Slots ----------------------------------------------------------------------------------- */

/* Changes the owner of a slot. Returns its previous owner, which is `from` on success. */
static int64_t change_owner(slot *of, int64_t from, int64_t to)
{
    __atomic_compare_exchange_n(&of->owner, &from, to, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return from;
}

static void leave(slot *from, int64_t owner)
{
    __atomic_store_n(&from->owner, owner, __ATOMIC_RELEASE);
}

/* Takes the slot of a handle for the calling thread. On failure, returns NULL and sets *error. */
static slot *enter(int64_t handle, int *error)
{
    slot *wanted = &slots[(uint64_t)handle % GM_HANDLES];
    int64_t owner = handle > 0 ? change_owner(wanted, handle, -handle) : 0;
    int is_taken = handle > 0 && owner == handle;
    *error = is_taken ? GM_OK : handle > 0 && owner == -handle ? GM_ERR_IN_USE : GM_ERR_CLOSED;
    return is_taken ? wanted : NULL;
}

/* Begins a function: takes the slot, or returns the error. */
#define ENTER(handle)                    \
    int status;                          \
    slot *held = enter(handle, &status); \
    if (held == NULL) {                  \
        return status;                   \
    }                                    \
    gm_session *session = &held->memory->session

/* Ends a function with the result of a call of the runtime. */
#define LEAVE(handle, call) \
    status = (call);        \
    leave(held, handle);    \
    return status

/* Takes a free slot. Returns its new handle, or GM_ERR_NO_MEMORY. */
static int64_t take_free_slot(slot **taken)
{
    int64_t first = __atomic_add_fetch(&opened, 1, __ATOMIC_RELAXED) * GM_HANDLES;
    for (int64_t i = 0; i < GM_HANDLES; i++) {
        if (change_owner(&slots[i], 0, -(first + i)) == 0) {
            *taken = &slots[i];
            return first + i;
        }
    }
    return GM_ERR_NO_MEMORY;
}

/* ---- Opening and closing ----------------------------------------------------------------------- */

static uint8_t *aligned(void *address)
{
    return (uint8_t *)(((uintptr_t)address + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
}

static int cpu_has_fma(void)
{
#if GM_FUSED && (defined(__x86_64__) || defined(__i386__))
    return gm_x86_has_fma();
#else
    return 1;
#endif
}

static void release(owned *memory)
{
    if (memory == NULL) {
        return;
    }
    gm_close(&memory->session);
#if GM_THREADS
    gm_threads_close(memory->threads);
#endif
    free(memory->arena);
    free(memory);
}

/* Lets the session's instructions run on this many threads. */
static int share_work(owned *memory, uint32_t threads, size_t arena_size)
{
#if GM_THREADS
    if (threads > 1) {
        memory->threads = gm_threads_open(threads);
        return memory->threads == NULL
                   ? GM_ERR_NO_MEMORY
                   : gm_set_splitter(&memory->session, gm_threads_splitter(memory->threads), arena_size);
    }
#endif
    (void)memory, (void)threads, (void)arena_size;
    return GM_OK;
}

/* Allocates the arena and opens the session. image: the session's own copy. */
static int open_arena(owned *memory, const void *image, size_t size, uint32_t threads)
{
    gm_requirements needs;
    int status = gm_required(image, size, &needs);
    if (status != GM_OK || needs.arena_size > ARENA_LIMIT) {
        return status != GM_OK ? status : GM_ERR_BAD_REGION;
    }
    uint32_t spare = needs.arena_size < SPARE_LIMIT ? needs.arena_size : SPARE_LIMIT;
    size_t arena_size = needs.arena_size + (size_t)spare * (threads - 1);
    memory->arena = calloc(1, arena_size + ALIGNMENT);
    if (memory->arena == NULL) {
        return GM_ERR_NO_MEMORY;
    }
    status = gm_open(&memory->session, image, size, aligned(memory->arena), arena_size);
    return status == GM_OK ? share_work(memory, threads, arena_size) : status;
}

/* Allocates memory for a session with a copy of the image, and opens it. */
static int open_owned(const void *image, size_t size, uint32_t threads, owned **out)
{
    if (image == NULL || size > SIZE_MAX / 2 || threads < 1 || threads > MOST_THREADS) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    owned *memory = *out = calloc(1, sizeof(owned) + size + ALIGNMENT);
    if (memory == NULL) {
        return GM_ERR_NO_MEMORY;
    }
    uint8_t *copy = aligned(memory + 1);
    memcpy(copy, image, size);
    return open_arena(memory, copy, size, threads);
}

int64_t gm_handle_open(const void *image, size_t image_size, uint32_t threads)
{
    slot *taken;
    if (!cpu_has_fma()) {
        return GM_ERR_NO_FMA;
    }
    int64_t handle = take_free_slot(&taken);
    if (handle < 0) {
        return handle;
    }
    taken->memory = NULL;
    int status = open_owned(image, image_size, threads, &taken->memory);
    if (status != GM_OK) {
        release(taken->memory);
    }
    leave(taken, status == GM_OK ? handle : 0);
    return status == GM_OK ? handle : status;
}

int gm_handle_close(int64_t handle)
{
    int status;
    slot *held = enter(handle, &status);
    if (held != NULL) {
        release(held->memory);
        leave(held, 0);
    }
    return status;
}

uint32_t gm_handle_crc32(uint32_t crc, const void *data, size_t size)
{
    return gm_crc32(crc, data, size);
}

int gm_handle_fused(void)
{
    return GM_FUSED;
}

static int required(const gm_session *session, gm_requirements *out)
{
    return gm_required(session->image, session->header->size, out);
}

static int copy_control(const gm_session *session, gm_control *out)
{
    if (out == NULL) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    *out = *gm_control_view(session);
    return GM_OK;
}

/* ---- Tensors ----------------------------------------------------------------------------------- */

static void copy_name(char *to, const char *name)
{
    size_t count = name == NULL ? 0 : strlen(name);
    if (count >= GM_HANDLE_NAME) {
        count = GM_HANDLE_NAME - 1;
        while (count > 0 && (name[count] & 0xC0) == 0x80) { /* inside a character */
            count--;
        }
    }
    memset(to, 0, GM_HANDLE_NAME);
    if (count > 0) {
        memcpy(to, name, count);
    }
}

static int describe_tensor(const gm_session *session, uint32_t role, uint32_t index, gm_handle_tensor *out)
{
    const gm_tensor *tensor = gm_find_tensor(session->header, UINT32_MAX, role, index);
    const char *names = gm_section_data(session->header, GM_SECTION_NAMES);
    if (out == NULL || role > GM_ROLE_OUTPUT) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    if (tensor == NULL) {
        return GM_ERR_NOT_FOUND;
    }
    copy_name(out->name, tensor->name == GM_NONE ? NULL : names + tensor->name);
    out->programs = tensor->programs;
    out->dtype = tensor->dtype;
    out->size = tensor->size;
    out->rank = tensor->rank;
    memcpy(out->dims, tensor->dims, sizeof out->dims);
    return GM_OK;
}

static int describe_parameter(gm_session *session, uint32_t index, gm_handle_tensor *out)
{
    gm_view view;
    int status = gm_parameter(session, index, &view);
    if (status != GM_OK || out == NULL) {
        return status != GM_OK ? status : GM_ERR_INVALID_ARGUMENT;
    }
    copy_name(out->name, view.name);
    out->programs = 0;
    out->dtype = view.dtype;
    out->size = view.size;
    out->rank = view.rank;
    for (uint32_t axis = 0; axis < GM_MAX_RANK; axis++) {
        out->dims[axis] = axis < view.rank ? view.dims[axis] : 1;
    }
    return GM_OK;
}

/* Checks data for all or the first samples of the index-th tensor of this role. *found becomes the
 * tensor. */
static int fits(const gm_session *session, uint32_t role, uint32_t index, uint32_t dtype, const void *data, size_t size,
                const gm_tensor **found)
{
    const gm_tensor *tensor = *found = gm_find_tensor(session->header, UINT32_MAX, role, index);
    if (data == NULL || role > GM_ROLE_OUTPUT) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    if (tensor == NULL) {
        return GM_ERR_NOT_FOUND;
    }
    int is_part =
        gm_has_rows(tensor) && size > 0 && size < tensor->size && size % gm_row_size(session->header, tensor) == 0;
    return dtype != tensor->dtype ? GM_ERR_WRONG_DTYPE : size != tensor->size && !is_part ? GM_ERR_WRONG_SIZE : GM_OK;
}

static int write_tensor(gm_session *session, uint32_t role, uint32_t index, uint32_t dtype, const void *data,
                        size_t size)
{
    const gm_tensor *tensor;
    int status = fits(session, role, index, dtype, data, size, &tensor);
    if (status == GM_OK && size < tensor->size && index >= MOST_GIVEN) {
        status = GM_ERR_WRONG_SIZE;
    }
    if (status == GM_OK) {
        status = gm_write_rows(session, role, index, data, size);
    }
    if (status == GM_OK && index < MOST_GIVEN) {
        uint32_t rows = size < tensor->size ? (uint32_t)size / gm_row_size(session->header, tensor) : 0;
        ((owned *)session)->given[role][index] = rows;
    }
    return status;
}

static int read_tensor(const gm_session *session, uint32_t role, uint32_t index, uint32_t dtype, void *data,
                       size_t size)
{
    const gm_tensor *tensor;
    int status = fits(session, role, index, dtype, data, size, &tensor);
    if (status == GM_OK) {
        memcpy(data, session->arena + tensor->offset, size);
    }
    return status;
}

/* ---- Running ----------------------------------------------------------------------------------- */

/* Finds the samples that all inputs and labels of a program have. 0: the whole batch. */
static int rows_given(const gm_session *session, uint32_t program, uint32_t *rows)
{
    const owned *memory = (const owned *)session;
    uint32_t found = GM_NONE;
    for (uint32_t i = 0; i < 2 * MOST_GIVEN; i++) {
        uint32_t role = i / MOST_GIVEN, given = memory->given[role][i % MOST_GIVEN];
        const gm_tensor *tensor = gm_find_tensor(session->header, UINT32_MAX, role, i % MOST_GIVEN);
        if (tensor == NULL || !gm_has_rows(tensor) || (tensor->programs >> program & 1) == 0) {
            continue;
        }
        if (given != 0 && (tensor->programs >> (GM_PROGRAM_COUNT + program) & 1) == 0) {
            return GM_ERR_WHOLE_BATCH;
        }
        if (found != GM_NONE && found != given) {
            return GM_ERR_WRONG_SIZE;
        }
        found = given;
    }
    *rows = found == GM_NONE ? 0 : found;
    return GM_OK;
}

static int run(gm_session *session, uint32_t program, float *loss)
{
    float unwanted, *to = loss != NULL ? loss : &unwanted;
    uint32_t rows = 0;
    int status = program < GM_PROGRAM_COUNT ? rows_given(session, program, &rows) : GM_ERR_INVALID_ARGUMENT;
    *to = 0;
    if (status != GM_OK) {
        return status;
    }
    ((owned *)session)->counted = rows;
    if (rows != 0) {
        return gm_run_rows(session, program, rows, program == GM_PROGRAM_INFER ? NULL : to);
    }
    switch (program) {
    case GM_PROGRAM_INFER: return gm_infer(session);
    case GM_PROGRAM_EVAL: return gm_eval_step(session, to);
    case GM_PROGRAM_TRAIN: return gm_train_step(session, to);
    case GM_PROGRAM_OPTIMIZER: return gm_optimizer_step(session);
    case GM_PROGRAM_STEP: return gm_step(session, to);
    default: return GM_ERR_INVALID_ARGUMENT;
    }
}

int64_t gm_handle_output_size(int64_t handle, uint32_t index)
{
    ENTER(handle);
    const gm_tensor *tensor = gm_find_tensor(session->header, UINT32_MAX, GM_ROLE_OUTPUT, index);
    uint32_t counted = held->memory->counted;
    int64_t size = tensor == NULL                        ? GM_ERR_NOT_FOUND
                   : counted != 0 && gm_has_rows(tensor) ? (int64_t)gm_row_size(session->header, tensor) * counted
                                                         : tensor->size;
    leave(held, handle);
    return size;
}

/* ---- Parameters -------------------------------------------------------------------------------- */

static int view_of(gm_session *session, uint32_t values, uint32_t index, gm_view *out)
{
    switch (values) {
    case GM_VALUES_PARAMETERS: return gm_parameters(session, out);
    case GM_VALUES_PARAMETER: return gm_parameter(session, index, out);
    case GM_VALUES_GRADIENT: return gm_gradient(session, index, out);
    default: return GM_ERR_INVALID_ARGUMENT;
    }
}

static int is_aligned(const void *data)
{
    return (uintptr_t)data % sizeof(float) == 0;
}

static int get(gm_session *session, uint32_t values, uint32_t index, void *data, size_t size)
{
    gm_view view;
    if (values == GM_VALUES_DELTA) {
        return is_aligned(data) ? gm_delta(session, data, size) : GM_ERR_INVALID_ARGUMENT;
    }
    int status = data == NULL ? GM_ERR_INVALID_ARGUMENT : view_of(session, values, index, &view);
    if (status == GM_OK && view.size != size) {
        status = GM_ERR_WRONG_SIZE;
    }
    if (status == GM_OK) {
        memcpy(data, view.data, size);
    }
    return status;
}

static int set_parameter(gm_session *session, uint32_t index, const void *data, size_t size)
{
    gm_view view;
    int status = data == NULL ? GM_ERR_INVALID_ARGUMENT : gm_parameter(session, index, &view);
    if (status == GM_OK && view.size != size) {
        status = GM_ERR_WRONG_SIZE;
    }
    if (status == GM_OK) {
        memcpy(view.data, data, size);
    }
    return status;
}

static int set(gm_session *session, uint32_t values, uint32_t index, const void *data, size_t size)
{
    switch (values) {
    case GM_VALUES_PARAMETERS: return gm_set_parameters(session, data, size);
    case GM_VALUES_PARAMETER: return set_parameter(session, index, data, size);
    case GM_VALUES_DELTA: return is_aligned(data) ? gm_apply_delta(session, data, size) : GM_ERR_INVALID_ARGUMENT;
    default: return GM_ERR_INVALID_ARGUMENT;
    }
}

/* ---- Checkpoints ------------------------------------------------------------------------------- */

static int write_file(void *user, uint32_t offset, const void *data, uint32_t size)
{
    const file *to = user;
    if (offset > to->size || size > to->size - offset) {
        return -1;
    }
    memcpy(to->bytes + offset, data, size);
    return 0;
}

static int read_file(void *user, uint32_t offset, void *data, uint32_t size)
{
    const file *from = user;
    if (offset > from->size || size > from->size - offset) {
        return -1;
    }
    memcpy(data, from->bytes + offset, size);
    return 0;
}

static uint32_t checkpoint_size(const gm_session *session, int half)
{
    return half ? gm_checkpoint_half_size(session) : gm_checkpoint_size(session);
}

typedef int save_function(const gm_session *session, gm_write_fn write, void *user);

/* Saves a file that has exactly `wanted` bytes to memory. */
static int save_to(const gm_session *session, save_function *save_file, uint32_t wanted, void *data, size_t size)
{
    file to = {data, size};
    if (data == NULL || size != wanted) {
        return data == NULL ? GM_ERR_INVALID_ARGUMENT : GM_ERR_WRONG_SIZE;
    }
    return save_file(session, write_file, &to);
}

static int save(const gm_session *session, int half, void *data, size_t size)
{
    save_function *save_file = half ? gm_checkpoint_save_half : gm_checkpoint_save;
    return save_to(session, save_file, checkpoint_size(session, half), data, size);
}

static int save_without_optimizer(const gm_session *session, void *data, size_t size)
{
    return save_to(session, gm_checkpoint_save_without_optimizer, checkpoint_size(session, 0), data, size);
}

static int load(gm_session *session, const void *data, size_t size)
{
    file from = {(uint8_t *)(uintptr_t)data, data != NULL ? size : 0};
    return gm_checkpoint_load(session, read_file, &from, from.size);
}

static int carry_over(gm_session *session, const void *data, size_t size, uint32_t *carried)
{
    file from = {(uint8_t *)(uintptr_t)data, data != NULL ? size : 0};
    return gm_checkpoint_carry_over(session, read_file, &from, from.size, carried);
}

int64_t gm_handle_checkpoint_size(int64_t handle, int half)
{
    ENTER(handle);
    int64_t size = checkpoint_size(session, half);
    leave(held, handle);
    return size;
}

/* ---- As onnxruntime does ----------------------------------------------------------------------- */

static int all_trained(const gm_session *session)
{
    const char *names = gm_section_data(session->header, GM_SECTION_NAMES);
    uint32_t scheme = session->header->scheme;
    if (scheme != GM_NONE && strcmp(names + scheme, "full") == 0) {
        return GM_OK;
    }
    return GM_ERR_FROZEN;
}

static int export_model(const gm_session *session, const void *table, size_t table_size, void *data, size_t size)
{
    file from = {(uint8_t *)(uintptr_t)table, table != NULL ? table_size : 0};
    uint32_t model_size = 0;
    int status = gm_export_check(session, read_file, &from, from.size, &model_size);
    if (status != GM_OK) {
        return status;
    }
    if (data == NULL || size != model_size) {
        return data == NULL ? GM_ERR_INVALID_ARGUMENT : GM_ERR_WRONG_SIZE;
    }
    return gm_export_part(session, read_file, &from, 0, data, model_size);
}

int64_t gm_handle_export_size(int64_t handle, const void *table, size_t table_size)
{
    ENTER(handle);
    file from = {(uint8_t *)(uintptr_t)table, table != NULL ? table_size : 0};
    uint32_t size = 0;
    status = gm_export_check(session, read_file, &from, from.size, &size);
    leave(held, handle);
    return status == GM_OK ? (int64_t)size : status;
}

/* Puts the parameters and statistics that the session has into a copy of its image. */
static int keep_learned(const gm_session *session, uint8_t *image)
{
    const gm_state_entry *entry = gm_section_data(session->header, GM_SECTION_STATE);
    const gm_state_entry *end = entry + session->header->sections[GM_SECTION_STATE].size / sizeof *entry;
    const gm_section *initial = &session->header->sections[GM_SECTION_INITIAL];
    for (; entry < end; entry++) {
        if (entry->role != GM_STATE_ROLE_PARAMETER && entry->role != GM_STATE_ROLE_STATISTIC) {
            continue;
        }
        if (entry->offset + entry->size > initial->size) {
            return GM_ERR_BAD_SECTION; /* of a statistic: parameters are all in the section */
        }
        memcpy(image + initial->offset + entry->offset, session->arena + entry->offset, entry->size);
    }
    return GM_OK;
}

static int trained_image(const gm_session *session, void *data, size_t size)
{
    uint8_t *image = data;
    int status = gm_idle(session);
    if (status == GM_OK && (data == NULL || size != session->header->size)) {
        status = data == NULL ? GM_ERR_INVALID_ARGUMENT : GM_ERR_WRONG_SIZE;
    }
    if (status != GM_OK) {
        return status;
    }
    memcpy(image, session->image, size);
    status = keep_learned(session, image);
    uint32_t crc = gm_crc32(0, image + GM_IMAGE_CRC_START, size - GM_IMAGE_CRC_START);
    memcpy(image + offsetof(gm_header, crc), &crc, sizeof crc);
    return status;
}

int64_t gm_handle_image_size(int64_t handle)
{
    ENTER(handle);
    int64_t size = session->header->size;
    leave(held, handle);
    return size;
}

/* ---- Properties -------------------------------------------------------------------------------- */

static int set_property(gm_session *session, const char *key, uint32_t type, uint32_t value)
{
    int32_t number;
    float real;
    memcpy(&number, &value, sizeof number);
    memcpy(&real, &value, sizeof real);
    switch (type) {
    case GM_PROPERTY_TYPE_EMPTY: return gm_property_remove(session, key);
    case GM_PROPERTY_TYPE_I32: return gm_property_set_i32(session, key, number);
    case GM_PROPERTY_TYPE_F32: return gm_property_set_f32(session, key, real);
    default: return GM_ERR_INVALID_ARGUMENT;
    }
}

/* The functions of spec/session.toml that are not above: each takes the slot and calls one of these. */
#include "generated/gm_handle_calls.h"
