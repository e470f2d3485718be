/* Cuts the power in bytes that a save programs and units that it erases, and starts again: the newest checkpoint is then
 * the one before the save or the one after it. Says how often it was which. It cuts in every STRIDE-th byte, and in each
 * of the last ones, which make the checkpoint valid. */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board.h"
#include "gesture.h"
#include "storage/slots.h"
#include "virt.h"

#define STRIDE 41u
#define LAST 160u

void power_cuts(void);

static gm_session session;
static uint8_t arena[GESTURE_ARENA_BYTES] __attribute__((aligned(16)));
static uint32_t until_cut; /* bytes and units; 0: the power stays on */
static uint32_t passed; /* bytes and units, of this save */
static jmp_buf restart;

int power_fails(void)
{
    ++passed;
    return until_cut > 0 && --until_cut == 0;
}

void power_failed(void)
{
    longjmp(restart, 1);
}

static void require(int error)
{
    if (error != GM_OK) {
        printf("%s\n", gm_error_text(error));
        exit(1);
    }
}

static uint32_t start(void)
{
    gm_view state;
    require(gm_open(&session, gesture_image, sizeof gesture_image, arena, sizeof arena));
    require(slots_load(&session));
    require(gm_state(&session, &state));
    return gm_crc32(0, state.data, state.size);
}

/* Another state than all others. */
static void learn(uint32_t number)
{
    require(gm_set_learning_rate(&session, (float)number));
}

/* Saves, with the power cut after `count` bytes and units. Returns 1 if the save was complete before. */
static int save(uint32_t count)
{
    until_cut = count;
    passed = 0;
    int cut = setjmp(restart);
    if (cut == 0) {
        require(slots_save(&session));
    }
    int complete = until_cut > 0 || count == 0;
    until_cut = 0;
    return complete;
}

/* Saves, learns, and saves with the power cut. Returns 1 if the start after that finds the second state, 0 if the first,
 * and in *complete whether the second save was complete. */
static int cut_one(uint32_t count, int *complete)
{
    static uint32_t number;
    gm_view state;
    learn(++number);
    save(0);
    uint32_t before = start();
    learn(++number);
    require(gm_state(&session, &state));
    uint32_t wanted = gm_crc32(0, state.data, state.size);
    *complete = save(count);
    uint32_t after = start();
    if (after != before && after != wanted) {
        printf("cut %u: neither the state before the save nor that after it\n", (unsigned)count);
        exit(1);
    }
    return after == wanted;
}

void power_cuts(void)
{
    uint32_t found[2] = {0, 0};
    int complete = 0;
    require(gm_open(&session, gesture_image, sizeof gesture_image, arena, sizeof arena));
    save(0);
    for (uint32_t all = passed, count = 1; !complete; count += count + STRIDE + LAST < all ? STRIDE : 1) {
        ++found[cut_one(count, &complete)];
    }
    printf("%u old, %u new\n", (unsigned)found[0], (unsigned)found[1]);
}
