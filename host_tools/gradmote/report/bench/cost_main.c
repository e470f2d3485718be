/*
 * Counts the machine instructions of each instruction of an image, on an emulated board whose clock ticks with them.
 *
 * The emulator puts the image at COST_MEMORY; the arena lies COST_LIMIT bytes behind it. Every program runs once, one instruction a slice,
 * on random inputs and labels of 0; those that have a call of their own then run by that once more.
 *
 * The clock is read twice around nothing at first, and then twice around each count that is printed. The model of cycles
 * tells by that what ran in between (cycles/model.py).
 */
#include "board_print.h"
#include "gradmote.h"

#define IMAGE ((const uint8_t *)COST_MEMORY)
#define ARENA ((uint8_t *)(COST_MEMORY + COST_LIMIT))

static gm_session session;

static void fill(uint32_t program)
{
    gm_view view;
    uint32_t random = 1;
    for (uint32_t i = 0; gm_tensor_view(&session, program, GM_ROLE_INPUT, i, &view) == GM_OK; ++i) {
        float *values = view.data;
        for (uint32_t n = 0; view.dtype == GM_DTYPE_F32 && n < view.size / 4; ++n) {
            random = random * 1664525u + 1013904223u;
            values[n] = (float)(int32_t)random / 2147483648.0f;
        }
    }
}

/* Prints the ticks of each instruction; `nothing` is what reading the clock takes. A run of none comes first: it looks
 * whether training may go on from the state, once, and that is no instruction's work. */
static int measure(uint32_t program, uint32_t nothing)
{
    int status = gm_begin(&session, program);
    print_number("program", program);
    status = status ? status : gm_run(&session, 0);
    while (status == GM_AGAIN) {
        uint32_t start = board_ticks();
        status = gm_run(&session, 1);
        print_number("ticks", board_ticks() - start - nothing);
    }
    return status;
}

static int measure_whole(uint32_t program, uint32_t nothing)
{
    if (program != GM_PROGRAM_STEP && program != GM_PROGRAM_INFER) {
        return GM_OK;
    }
    uint32_t start = board_ticks();
    int status = program == GM_PROGRAM_STEP ? gm_step(&session, NULL) : gm_infer(&session);
    print_number("whole", board_ticks() - start - nothing);
    return status;
}

int main(void)
{
    gm_requirements needs;
    board_init();
    int status = gm_required(IMAGE, COST_LIMIT, &needs);
    status = status ? status : gm_open(&session, IMAGE, COST_LIMIT, ARENA, COST_LIMIT);
    uint32_t start = board_ticks();
    uint32_t nothing = board_ticks() - start;
    print_number("ticks_per_second", BOARD_TICKS_PER_SECOND);
    for (uint32_t program = 0; status == GM_OK && program < 32; ++program) {
        if (needs.programs >> program & 1u) {
            fill(program);
            status = measure(program, nothing);
            status = status ? status : measure_whole(program, nothing);
        }
    }
    print_number("failed", (uint32_t)-status);
    print("done\n");
    for (;;) {
        board_sleep();
    }
}
