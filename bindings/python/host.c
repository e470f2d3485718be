/*
 * What Python does quicker in C. It is compiled into both modules, in front of what cffi writes.
 */
#include <string.h>
#include <time.h>

#include "gm_threads.h"

/* `size` bytes of int32 from as many int64; -1, and nothing written, where one does not fit. */
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

static int64_t gm_host_nanoseconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* What reading the wall's clock takes at the least. */
static int64_t gm_host_nothing(void)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < 32; i++) {
        int64_t start = gm_host_nanoseconds(CLOCK_MONOTONIC);
        int64_t taken = gm_host_nanoseconds(CLOCK_MONOTONIC) - start;
        least = taken < least ? taken : least;
    }
    return least;
}

/* Runs a program one instruction at a time, of which there are `count`: nanoseconds of each, by the clock on the wall
 * without what reading it takes, and of the CPU. */
static int gm_host_time_each(gm_session *session, uint32_t program, int64_t *wall, int64_t *cpu, uint32_t count)
{
    int64_t nothing = gm_host_nothing();
    int status = gm_begin(session, program);
    status = status == GM_OK ? GM_AGAIN : status;
    for (uint32_t i = 0; i < count && status == GM_AGAIN; i++) {
        int64_t cpu_start = gm_host_nanoseconds(CLOCK_THREAD_CPUTIME_ID);
        int64_t wall_start = gm_host_nanoseconds(CLOCK_MONOTONIC);
        status = gm_run(session, 1);
        wall[i] = gm_host_nanoseconds(CLOCK_MONOTONIC) - wall_start - nothing;
        cpu[i] = gm_host_nanoseconds(CLOCK_THREAD_CPUTIME_ID) - cpu_start;
    }
    return status;
}
