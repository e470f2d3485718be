/*
 * Checkpoints under power that fails: in every program and erase operation of many saves, in every way, and again while
 * the board recovers. After each cut the newest complete checkpoint is loaded or the one before it, training goes on
 * from it to the very bits of a run that was never interrupted, and the next save works.
 */
#include <string.h>

#include "../runtime/builder.h"
#include "../runtime/checks.h"
#include "flash.h"
#include "storage/slots.h"

#define SAVES 200u
#define STEPS_AFTER 2u

static block image, arena;
static uint32_t image_size;
static uint8_t states[SAVES + STEPS_AFTER + 1][TINY_STATE_SIZE]; /* of a run without interruption, after each step */
static gm_session session;
static unsigned long cuts, kept_new, kept_old, empty, lost;

static void boot(void)
{
    static const float x[12] = {1, 2, 3, -1, 0.5f, 0, 0.25f, -2, 1, 0, 1, -1};
    static const float target[8] = {1, 0, 0, 1, -1, 1, 2, -1};
    memset(&session, 0, sizeof session);
    memset(arena.bytes, 0xA5, sizeof arena.bytes);
    CHECK_STATUS(GM_OK, gm_open(&session, image.bytes, image_size, arena.bytes, TINY_ARENA));
    CHECK_STATUS(GM_OK, gm_write(&session, GM_ROLE_INPUT, 0, x, sizeof x));
    CHECK_STATUS(GM_OK, gm_write(&session, GM_ROLE_LABEL, 0, target, sizeof target));
}

static int is_at(uint32_t step)
{
    return memcmp(arena.bytes, states[step], TINY_STATE_SIZE) == 0;
}

static uint32_t step_now(void)
{
    return gm_control_view(&session)->train_steps;
}

static void run_without_interruption(void)
{
    boot();
    CHECK_STATUS(GM_OK, gm_set_linear_schedule(&session, 0.1f, 20, 400));
    for (uint32_t step = 0; step <= SAVES + STEPS_AFTER; ++step) {
        memcpy(states[step], arena.bytes, TINY_STATE_SIZE);
        CHECK_STATUS(GM_OK, gm_step(&session, NULL));
    }
}

/* Starts at `step`, as if it had been trained there. */
static void boot_at(uint32_t step)
{
    boot();
    memcpy(arena.bytes, states[step], TINY_STATE_SIZE);
}

/* 1 if power failed in the save. */
static int save_is_cut(uint32_t operation, enum flash_cut kind, uint32_t seed)
{
    flash_cut(operation, kind, seed);
    if (setjmp(flash_power_failed)) {
        return 1;
    }
    CHECK_STATUS(GM_OK, slots_save(&session));
    flash_keep_power();
    return 0;
}

/* What a restart finds: the checkpoint of `step` or the one before. Before the first there may be none. */
static void remount(uint32_t step)
{
    boot();
    int status = slots_load(&session);
    if (step == 1 && status != GM_OK) {
        memcpy(arena.bytes, states[0], TINY_STATE_SIZE);
        ++empty;
        return;
    }
    CHECK_STATUS(GM_OK, status);
    uint32_t found = step_now();
    lost += status != GM_OK || (found != step && found + 1 != step) || !is_at(found);
    CHECK((found == step || found + 1 == step) && is_at(found));
    kept_new += found == step;
    kept_old += found + 1 == step;
}

static void train_on(void)
{
    for (uint32_t step = step_now() + 1, end = step + STEPS_AFTER; step < end; ++step) {
        CHECK_STATUS(GM_OK, gm_step(&session, NULL));
        CHECK(is_at(step));
    }
}

static void check_that_saving_works(void)
{
    uint32_t step = step_now();
    CHECK_STATUS(GM_OK, slots_save(&session));
    boot();
    CHECK_STATUS(GM_OK, slots_load(&session));
    CHECK(is_at(step));
}

/* Power fails once more, before a save has succeeded. */
static void cut_the_next_save(uint32_t operation, enum flash_cut kind, uint32_t seed)
{
    uint32_t before = step_now() - STEPS_AFTER;
    CHECK(save_is_cut(operation, kind, seed));
    ++cuts;
    boot();
    if (slots_load(&session) != GM_OK) {
        CHECK(before == 0);
        memcpy(arena.bytes, states[0], TINY_STATE_SIZE);
    }
    CHECK((step_now() == before || step_now() == before + STEPS_AFTER) && is_at(step_now()));
}

/* before: the flash before the save of `step`, which takes `operations`. */
static void cut_one_save(const flash *before, uint32_t step, uint32_t operations)
{
    for (uint32_t at = 0; at < operations; ++at) {
        for (enum flash_cut kind = CUT_BEFORE; kind < CUT_KINDS; ++kind) {
            uint32_t seed = (step * operations + at) * CUT_KINDS + kind;
            the_flash = *before;
            boot_at(step);
            CHECK(save_is_cut(at, kind, seed));
            ++cuts;
            remount(step);
            train_on();
            cut_the_next_save(seed % operations, kind, seed + 1);
            check_that_saving_works();
        }
    }
}

static void test_cuts(void)
{
    flash_init();
    for (uint32_t step = 1; step <= SAVES; ++step) {
        flash before = the_flash;
        boot_at(step);
        (void)flash_operations();
        CHECK_STATUS(GM_OK, slots_save(&session));
        uint32_t operations = flash_operations();
        flash after = the_flash;
        cut_one_save(&before, step, operations);
        the_flash = after;
    }
}

static void test_wear(void)
{
    uint32_t least, most;
    flash_init();
    boot_at(1);
    for (uint32_t save = 0; save < SAVES; ++save) {
        CHECK_STATUS(GM_OK, slots_save(&session));
    }
    flash_wear(&least, &most);
    CHECK(most - least <= 1);
    printf("%u saves erase each unit that they use %u to %u times\n", SAVES, least, most);
}

/* A newest checkpoint that rots is skipped, and the one before it outlives a save in which power fails. */
static void test_rot(void)
{
    flash_init();
    for (uint32_t step = 1; step <= 2; ++step) {
        boot_at(step);
        CHECK_STATUS(GM_OK, slots_save(&session));
    }
    flash healthy = the_flash;
    (void)flash_operations();
    CHECK_STATUS(GM_OK, slots_save(&session));
    uint32_t operations = flash_operations();
    the_flash = healthy;
    flash_span newest = slots_newest(&session);
    uint32_t file = (uint32_t)(newest.base - the_flash.cells);
    for (uint32_t byte = 0; byte < newest.size; ++byte) {
        the_flash = healthy;
        flash_rot(file + byte, byte % 8);
        boot();
        CHECK_STATUS(GM_OK, slots_load(&session));
        CHECK(is_at(1));
        CHECK(save_is_cut(byte % operations, (enum flash_cut)(byte % CUT_KINDS), byte));
        boot();
        CHECK_STATUS(GM_OK, slots_load(&session));
        CHECK(is_at(1));
    }
}

/* A checkpoint of another model does not count as one of this model. */
static void test_other_model(void)
{
    static block other;
    flash_init();
    boot_at(3);
    CHECK_STATUS(GM_OK, slots_save(&session));
    memcpy(&other, &image, sizeof other);
    ((gm_header *)(void *)image.bytes)->model_id[0] ^= 1;
    image_seal(image.bytes);
    boot();
    CHECK(slots_load(&session) < 0);
    memcpy(&image, &other, sizeof other);
    boot();
    CHECK_STATUS(GM_OK, slots_load(&session));
    CHECK(is_at(3));
}

int main(void)
{
    image_size = build_tiny(image.bytes);
    run_without_interruption();
    test_wear();
    test_rot();
    test_other_model();
    test_cuts();
    printf(
        "%lu power cuts: the newest checkpoint found %lu times, the one before it %lu times, %lu cuts before there was"
        " one; %lu lost\n",
        cuts, kept_new, kept_old, empty, lost);
    return checks_summary();
}
