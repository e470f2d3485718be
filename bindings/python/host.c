/*
 * Functions that are too slow in Python, or that no signal may interrupt: Ctrl-C can stop Python
 * between two steps. They are compiled into both modules, before cffi's source.
 */
#include <string.h>
#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <time.h>
#endif

#include "../kernels/arch/simd/width.h"
#include "gm_threads.h"

/* Copies int64 values as int32. size: bytes of `out`. Returns 0, or -1 if one does not fit; nothing
 * is written then. */
static int gm_host_narrow(void *out, const char *values, size_t size)
{
    int32_t *narrow = out;
    int64_t wide;
    for (size_t i = 0; i < size / sizeof *narrow; i++) {
        memcpy(&wide, values + i * sizeof wide, sizeof wide);
        if (wide != (int32_t)wide) {
            return -1;
        }
    }
    for (size_t i = 0; i < size / sizeof *narrow; i++) {
        memcpy(&wide, values + i * sizeof wide, sizeof wide);
        narrow[i] = (int32_t)wide;
    }
    return 0;
}

/* int64 data for an int32 input or label, which has `size` bytes. */
typedef struct gm_host_wide {
    const char *values;
    void *out;
    size_t size;
} gm_host_wide;

/* Runs gm_train_step() or gm_eval_step() after gm_host_narrow() of `count` inputs and labels.
 * Returns 1, and runs nothing, if a value does not fit. */
static int gm_host_step_on_wide(gm_session *session, int trains, const gm_host_wide *wide, size_t count, float *loss)
{
    for (size_t i = 0; i < count; i++) {
        if (gm_host_narrow(wide[i].out, wide[i].values, wide[i].size) != 0) {
            return 1;
        }
    }
    return trains ? gm_train_step(session, loss) : gm_eval_step(session, loss);
}

/* The bytes of a file in memory, for gm_host_read and gm_host_write. */
typedef struct gm_host_file {
    uint8_t *data;
    size_t size;
} gm_host_file;

/* Reads from a gm_host_file. The runtime asks for 64 bytes at a time, and reads each byte of a
 * checkpoint twice. */
static int read_file(void *user, uint32_t offset, void *data, uint32_t size)
{
    const gm_host_file *file = user;
    if (offset > file->size || size > file->size - offset) {
        return -1;
    }
    memcpy(data, file->data + offset, size);
    return 0;
}

static const gm_read_fn gm_host_read = read_file;

static int write_file(void *user, uint32_t offset, const void *data, uint32_t size)
{
    const gm_host_file *file = user;
    if (offset > file->size || size > file->size - offset) {
        return -1;
    }
    memcpy(file->data + offset, data, size);
    return 0;
}

static const gm_write_fn gm_host_write = write_file;

/* Runs a program to its end. */
static int gm_host_run_program(gm_session *session, uint32_t program)
{
    int status = gm_begin(session, program);
    status = status == GM_OK ? GM_AGAIN : status;
    while (status == GM_AGAIN) {
        status = gm_run(session, UINT32_MAX);
    }
    return status;
}

/* Makes the current parameters the base of round `number`, or for 0 the image's initial ones. base:
 * room for all parameters, which the round refers to from now on. */
static int gm_host_begin_round(gm_session *session, gm_federated_round *round, uint32_t number, void *base)
{
    gm_view all;
    int status = gm_parameters(session, &all);
    if (status != GM_OK) {
        return status;
    }
    memcpy(base, all.data, all.size);
    round->base = number != 0 ? base : NULL;
    round->number = number;
    return GM_OK;
}

/* Goes on to the next round, whose base is this one's plus the delta. bits: of this round's own
 * delta, to keep its quantization error in the parameters; 0: the parameters become the base. room:
 * for all parameters, twice. Changes nothing if it fails. */
static int gm_host_end_round(gm_session *session, gm_federated_round *round, uint32_t bits, uint32_t seed,
                             const void *delta, size_t size, void *base, void *room)
{
    gm_view all;
    gm_federated_round this_one = {round->base, NULL, round->number, 0, seed, 0};
    int status = gm_parameters(session, &all);
    if (status != GM_OK) {
        return status;
    }
    uint8_t *trained = room, *next = trained + all.size;
    memcpy(trained, all.data, all.size);
    status = gm_round_apply(session, &this_one, delta, size);
    memcpy(next, all.data, all.size);
    if (status == GM_OK && bits != 0) {
        memcpy(all.data, trained, all.size);
        this_one.bits = bits;
        this_one.keep_loss = 1;
        status = gm_round_apply(session, &this_one, delta, size);
    }
    if (status == GM_OK) {
        memcpy(base, next, all.size);
        round->base = base;
        ++round->number;
    }
    return status;
}

/* Limits vectors to `widest` bits from now on: 0, 256 or 512. Returns the bits of the widest ones
 * in use, or -1 if this processor has no choice. */
static int gm_host_limit_vectors(int widest)
{
#if GM_SIMD_HAS_LIMIT
    return 256 * (int)gm_simd_limit((gm_simd_width)(widest / 256));
#else
    (void)widest;
    return -1;
#endif
}

#define GM_HOST_SECOND INT64_C(1000000000) /* in nanoseconds */

#if defined(_WIN32)

/* Returns the wall clock, in nanoseconds. */
static int64_t gm_host_wall(void)
{
    LARGE_INTEGER ticks, frequency;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&frequency);
    int64_t second = frequency.QuadPart, rest = ticks.QuadPart % second;
    return ticks.QuadPart / second * GM_HOST_SECOND + rest * GM_HOST_SECOND / second;
}

/* Returns the wall clock, since Windows counts the time of a thread in steps of about 15
 * milliseconds. */
static int64_t gm_host_cpu(void)
{
    return gm_host_wall();
}

#else

static int64_t gm_host_nanoseconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * GM_HOST_SECOND + now.tv_nsec;
}

/* Returns the wall clock, in nanoseconds. */
static int64_t gm_host_wall(void)
{
    return gm_host_nanoseconds(CLOCK_MONOTONIC);
}

/* Returns the CPU time of this thread in nanoseconds. */
static int64_t gm_host_cpu(void)
{
    return gm_host_nanoseconds(CLOCK_THREAD_CPUTIME_ID);
}

#endif

/* Returns the shortest time of reading the wall clock, in nanoseconds. */
static int64_t gm_host_clock_cost(void)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < 32; i++) {
        int64_t start = gm_host_wall();
        int64_t taken = gm_host_wall() - start;
        least = taken < least ? taken : least;
    }
    return least;
}

/* Runs a program of `count` instructions one at a time. wall, cpu: nanoseconds of each instruction,
 * by the wall clock less the time of reading it, and by the CPU clock. Returns the last result of
 * gm_run(). */
static int gm_host_time_each(gm_session *session, uint32_t program, int64_t *wall, int64_t *cpu, uint32_t count)
{
    int64_t clock_cost = gm_host_clock_cost();
    int status = gm_begin(session, program);
    status = status == GM_OK ? GM_AGAIN : status;
    for (uint32_t i = 0; i < count && status == GM_AGAIN; i++) {
        int64_t cpu_start = gm_host_cpu();
        int64_t wall_start = gm_host_wall();
        status = gm_run(session, 1);
        wall[i] = gm_host_wall() - wall_start - clock_cost;
        cpu[i] = gm_host_cpu() - cpu_start;
    }
    return status;
}
