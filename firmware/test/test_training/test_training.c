/*
 * Tests on the board itself what it must be able to do: `pio test`. Begins when a byte arrives,
 * prints the result of each test on a line, and ends with "done". FLASH_WORKS is 0 if the board's
 * emulator cannot program flash.
 */
#include "board.h"
#include "console/text.h"
#include "device/memory.h"
#include "gradmote.h"
#include "storage/slots.h"

#include "expected.h"
#include "model.h"

/* Fails the test, and returns the line. */
#define CHECK(condition)         \
    do {                         \
        if (!(condition)) {      \
            return __LINE__;     \
        }                        \
    } while (0)

#define SKIPPED (-1)

static gm_session session;

static uint32_t state_crc(void)
{
    gm_view state;
    return gm_state(&session, &state) == GM_OK ? gm_crc32(0, state.data, state.size) : 0;
}

static int train(void)
{
    CHECK(gm_open(&session, model_image, sizeof model_image, memory_arena(), memory_arena_size()) == GM_OK);
    for (uint32_t step = 0; step < STEPS; ++step) {
        CHECK(gm_write(&session, GM_ROLE_INPUT, 0, samples, sizeof samples) == GM_OK);
        CHECK(gm_write(&session, GM_ROLE_LABEL, 0, labels, sizeof labels) == GM_OK);
        CHECK(gm_step(&session, NULL) == GM_OK);
    }
    return 0;
}

static int trains_to_the_bits_of_its_twin(void)
{
    int failed = train();
    CHECK(!failed && state_crc() == STATE_CRC);
    return 0;
}

static int a_checkpoint_in_flash_brings_back_what_was_learned(void)
{
    if (!FLASH_WORKS) {
        return SKIPPED;
    }
    CHECK(slots_save(&session) == 0);
    CHECK(gm_reset(&session) == GM_OK && state_crc() != STATE_CRC);
    CHECK(slots_load(&session) == 0 && state_crc() == STATE_CRC);
    return 0;
}

static int an_impossible_label_changes_nothing(void)
{
    static const int32_t impossible[sizeof labels / sizeof labels[0]] = { 0, 1, 99, 2 };
    CHECK(gm_write(&session, GM_ROLE_LABEL, 0, impossible, sizeof impossible) == GM_OK);
    CHECK(gm_step(&session, NULL) == GM_ERR_LABEL_OUT_OF_RANGE);
    CHECK(state_crc() == STATE_CRC);
    return 0;
}

static int its_clock_runs(void)
{
    uint32_t start = board_ticks();
    int failed = train();
    CHECK(!failed && board_ticks() != start);
    return 0;
}

/* result: 0, SKIPPED, or the line where it failed. */
static void tell(const char *name, int result)
{
    text_put(name);
    if (result > 0) {
        text_put(" FAILED in line ");
        text_i32(result);
        text_line("");
    } else {
        text_line(result == SKIPPED ? " SKIPPED" : " PASSED");
    }
}

#define RUN(test) tell(#test, test())

int main(void)
{
    board_init();
    while (board_uart_get() < 0) {
        board_sleep();
    }
    RUN(trains_to_the_bits_of_its_twin);
    RUN(a_checkpoint_in_flash_brings_back_what_was_learned);
    RUN(an_impossible_label_changes_nothing);
    RUN(its_clock_runs);
    text_line("done");
    for (;;) {
        board_sleep();
    }
}
