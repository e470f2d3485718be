/*
 * Counts the instructions of one training step on an emulated board whose clock ticks with them: by gm_step(), and by
 * straight C that calls the same kernels one after another. The difference is the cost of the instruction stream. A
 * step goes before: the first after gm_open() looks once at the whole state, which is not counted as a step's stream.
 *
 * bench_image.h is written by the benchmark: the image, its arena, and STRAIGHT(K), one K(kernel, word offset) an
 * instruction of program step.
 */
#include "../../host_tools/gradmote/report/bench/board_print.h"
#include "gm_opcodes.h"
#include "gradmote.h"

#include "bench_image.h"

#define STEPS 16u

static gm_session session;
static uint32_t arena[BENCH_ARENA / 4] __attribute__((aligned(16)));

static uint32_t ticks_of_stream(void)
{
    uint32_t start = board_ticks();
    for (uint32_t i = 0; i < STEPS; ++i) {
        gm_step(&session, NULL);
    }
    return board_ticks() - start;
}

static uint32_t ticks_of_straight_calls(void)
{
    const uint32_t *code = (const uint32_t *)(const void *)(bench_image + BENCH_CODE);
    uint32_t start = board_ticks();
    for (uint32_t i = 0; i < STEPS; ++i) {
#define CALL(kernel, word) gm_kernel_##kernel(&session, code + (word));
        STRAIGHT(CALL)
    }
    return board_ticks() - start;
}

int main(void)
{
    board_init();
    int status = gm_open(&session, bench_image, sizeof bench_image, arena, sizeof arena);
    gm_write(&session, GM_ROLE_INPUT, 0, bench_input, sizeof bench_input);
    gm_write(&session, GM_ROLE_LABEL, 0, bench_label, sizeof bench_label);
    if (status == GM_OK) {
        status = gm_step(&session, NULL);
    }
    print_number("failed", (uint32_t)-status);
    print_number("steps", STEPS);
    print_number("stream_ticks", ticks_of_stream());
    print_number("straight_ticks", ticks_of_straight_calls());
    print_number("ticks_per_second", BOARD_TICKS_PER_SECOND);
    print("done\n");
    for (;;) {
        board_sleep();
    }
}
