/*
 * A million steps on samples drawn from a store, with thousands of saves, restarts and loads at random moments: the
 * state stays that of a run without them, and all of the flash wears alike.
 */
#include <string.h>

#include "../runtime/builder.h"
#include "../runtime/checks.h"
#include "flash.h"
#include "storage/slots.h"

#define STEPS 1000000u
#define LONGEST_LEG 400u

enum event { SAVE, SAVE_AND_RESTART, RESTART, LOAD };
/* Each with the frequency that it has here. */
static const enum event events[] = {SAVE, SAVE, SAVE, SAVE_AND_RESTART, SAVE_AND_RESTART, RESTART, RESTART, LOAD};

typedef struct learner {
    block arena;
    gm_session session;
} learner;

static block image;
static uint32_t image_size, bits = 1;
static learner board, undisturbed;
static uint8_t saved[TAUGHT_STATE_SIZE];
static unsigned long trained, times[LOAD + 1];

/* xorshift32, Marsaglia 2003 */
static uint32_t random_below(uint32_t limit)
{
    bits ^= bits << 13;
    bits ^= bits >> 17;
    bits ^= bits << 5;
    return bits % limit;
}

static void boot(learner *l)
{
    memset(l, 0xA5, sizeof *l);
    memset(&l->session, 0, sizeof l->session);
    CHECK_STATUS(GM_OK, gm_open(&l->session, image.bytes, image_size, l->arena.bytes, TAUGHT_ARENA));
}

static void teach(learner *l)
{
    static const float samples[TAUGHT_CLASSES][TAUGHT_BATCH * TAUGHT_ELEMENTS] = {
        {1, 0.5f, 0}, {0, 1, 0.25f}, {-0.5f, 0, 1}};
    for (uint32_t label = 0; label < TAUGHT_CLASSES; ++label) {
        CHECK_STATUS(GM_OK, gm_write(&l->session, GM_ROLE_INPUT, 0, samples[label], sizeof samples[label]));
        CHECK_STATUS(GM_OK, gm_learn(&l->session, label));
    }
    CHECK_STATUS(GM_OK, gm_set_linear_schedule(&l->session, 0.1f, 100, STEPS));
}

static uint32_t step_of(const learner *l)
{
    return gm_control_view(&l->session)->train_steps;
}

static int equal(const learner *l, const void *state)
{
    return memcmp(l->arena.bytes, state, TAUGHT_STATE_SIZE) == 0;
}

/* One step; the undisturbed one goes along if this is a new one. */
static int step(void)
{
    int status = gm_replay(&board.session, NULL);
    ++trained;
    if (status == GM_OK && step_of(&board) > step_of(&undisturbed)) {
        status = gm_replay(&undisturbed.session, NULL);
    }
    return status;
}

static void train(uint32_t steps)
{
    int status = GM_OK;
    for (uint32_t i = 0; i < steps && status == GM_OK; ++i) {
        status = step();
    }
    CHECK_STATUS(GM_OK, status);
    CHECK(step_of(&board) < step_of(&undisturbed) || equal(&board, undisturbed.arena.bytes));
}

static void happen(enum event event)
{
    ++times[event];
    if (event == SAVE || event == SAVE_AND_RESTART) {
        CHECK_STATUS(GM_OK, slots_save(&board.session));
        memcpy(saved, board.arena.bytes, sizeof saved);
    }
    if (event == SAVE_AND_RESTART || event == RESTART) {
        boot(&board);
    }
    if (event != SAVE) {
        CHECK_STATUS(GM_OK, slots_load(&board.session));
    }
    CHECK(equal(&board, saved));
}

static void check_wear(void)
{
    uint32_t least, most;
    flash_wear(&least, &most);
    CHECK(least > 0 && most - least <= 1);
    printf("each unit of flash erased %u to %u times\n", least, most);
}

int main(void)
{
    image_size = build_taught(image.bytes);
    flash_init();
    boot(&board), boot(&undisturbed);
    teach(&board), teach(&undisturbed);
    for (happen(SAVE); step_of(&board) < STEPS;) {
        uint32_t left = STEPS - step_of(&board), leg = 1 + random_below(LONGEST_LEG);
        train(leg < left ? leg : left);
        happen(step_of(&board) < STEPS ? events[random_below(sizeof events / sizeof *events)] : SAVE_AND_RESTART);
    }
    CHECK(equal(&board, undisturbed.arena.bytes));
    printf("%u steps, %lu with those trained again: %lu saves, %lu restarts, of which %lu without a save, %lu loads\n",
           STEPS, trained, times[SAVE] + times[SAVE_AND_RESTART], times[SAVE_AND_RESTART] + times[RESTART],
           times[RESTART], times[LOAD]);
    check_wear();
    return checks_summary();
}
