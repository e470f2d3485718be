/*
 * Times kernels: standard input has cases as run_kernels.c takes them, each after one more word: how many times its
 * instruction is run in a row. Standard output has the seconds of the processor that these runs took, one line a case.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "gm_internal.h"
#include "../../../runtime_c/generated/gm_opcodes.h"

static void *take(size_t size)
{
    void *data = aligned_alloc(64, (size + 63) / 64 * 64);
    if (data == NULL || (size > 0 && fread(data, size, 1, stdin) != 1)) {
        exit(2);
    }
    return data;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* head: times, words of the instruction, regions, bytes of the arena. */
static void time_case(const uint32_t *head)
{
    uint32_t *instruction = take(4 * (size_t)head[1]);
    uint32_t *regions = take(8 * (size_t)head[2]);
    gm_session session = {.arena = take(head[3])};
    double start = seconds();
    for (uint32_t i = 0; i < head[0]; i++) {
        if (gm_kernels[instruction[0] & 0xFFFF](&session, instruction) != GM_OK) {
            exit(3);
        }
    }
    printf("%.9f\n", seconds() - start);
    fflush(stdout);
    free(session.arena);
    free(regions);
    free(instruction);
}

int main(void)
{
    uint32_t head[4];
    while (fread(head, sizeof head, 1, stdin) == 1) {
        time_case(head);
    }
    return 0;
}
