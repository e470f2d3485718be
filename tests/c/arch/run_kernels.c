/*
 * Runs kernels on the memory that standard input describes, case after case, and prints what each returns and leaves.
 * A case, of 32-bit words: words of the instruction, regions, bytes of the arena (a multiple of 16); the instruction;
 * offset and size of each region; the arena. Under AddressSanitizer only the regions may be touched.
 */
#include <stdio.h>
#include <stdlib.h>

#include "arithmetic.h"
#include "gm_internal.h"
#include "../../../runtime_c/generated/gm_opcodes.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

static void *take(size_t size)
{
    void *data = aligned_alloc(64, (size + 63) / 64 * 64);
    if (data == NULL || (size > 0 && fread(data, size, 1, stdin) != 1)) {
        exit(2);
    }
    return data;
}

static void run(const uint32_t *head)
{
    uint32_t *instruction = take(4 * (size_t)head[0]);
    uint32_t *regions = take(8 * (size_t)head[1]);
    uint8_t *arena = take(head[2]);
    gm_session session = {.arena = arena};
    ASAN_POISON_MEMORY_REGION(arena, head[2]);
    for (uint32_t i = 0; i < head[1]; i++) {
        ASAN_UNPOISON_MEMORY_REGION(arena + regions[2 * i], regions[2 * i + 1]);
    }
    int32_t status = gm_kernels[instruction[0] & 0xFFFF](&session, instruction);
    ASAN_UNPOISON_MEMORY_REGION(arena, head[2]);
    fwrite(&status, sizeof status, 1, stdout);
    fwrite(arena, head[2], 1, stdout);
    fflush(stdout);
    free(arena);
    free(regions);
    free(instruction);
}

int main(void)
{
    uint32_t head[3];
    if (gm_arithmetic_differs()) {
        return 1;
    }
    while (fread(head, sizeof head, 1, stdin) == 1) {
        run(head);
    }
    return 0;
}
