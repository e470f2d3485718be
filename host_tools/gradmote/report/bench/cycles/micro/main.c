/*
 * Measures the micro-kernels, and prints the section [measured] of a core's table of timings (cycles/tables), which
 * calibration.py reads. It is printed anew every second, since nobody may have listened yet.
 *
 * board_ticks() is called before and after each kernel: the model of cycles tells by that what ran in between.
 */
#include "../../board_print.h"
#include "counter.h"
#include "kernels.h"

#define TURNS 1000u
#define WORDS 32u
#define ONE 0x3F800000u /* 1.0f */

#define DECLARE(name) void micro_##name(uint32_t turns, uint32_t *memory);
KERNELS(DECLARE)

static uint32_t memory[WORDS] __attribute__((aligned(16)));

static void fill(void)
{
    for (uint32_t i = 1; i < WORDS; ++i) {
        memory[i] = ONE;
    }
    memory[0] = (uint32_t)(uintptr_t)memory;
}

/* The first run fills what caches there are. */
static void measure(const char *name, void (*kernel)(uint32_t turns, uint32_t *memory))
{
    fill();
    kernel(1, memory);
    (void)board_ticks();
    uint32_t start = counter_read();
    kernel(TURNS, memory);
    uint32_t cycles = counter_read() - start;
    (void)board_ticks();
    print_number(name, counter_read == read_systick ? cycles & SYSTICK_MASK : cycles);
}

static void measure_all(void)
{
    print("[measured]\n");
    print("board = \"" GM_BOARD_NAME "\"\ncounter = \"");
    print(counter_name);
    print("\"\n");
    print_number("turns =", TURNS);
#define MEASURE(name) measure(#name " =", micro_##name);
    KERNELS(MEASURE)
    print("# end\n");
}

int main(void)
{
    board_init();
    mask_interrupts();
    counter_start();
    for (;;) {
        measure_all();
        for (volatile uint32_t i = 0; i < BOARD_CLOCK_HZ / 16u; ++i) {
        }
    }
}
