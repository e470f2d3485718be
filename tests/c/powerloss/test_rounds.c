/*
 * Rounds of federated learning under power that fails, in every program and erase operation of keeping the base, and again
 * while the board goes on: a restart finds the old base or the next one, whole, with its number, and the round that is then
 * made again leads to the base of a device that was never interrupted. Saves in between never touch the base.
 */
#include <string.h>

#include "../../../firmware/generated/console_spec.h"
#include "../runtime/builder.h"
#include "../runtime/checks.h"
#include "device/memory.h"
#include "flash.h"
#include "storage/slots.h"
#include "training/federated.h"

#define ROUNDS 6u
#define ROOM 512u
#define BITS 4u

typedef struct parameters {
    uint8_t bytes[TINY_CONTROL];
} parameters;

static block image, arena;
static uint32_t image_size;
static model the_model;
static unsigned long cuts, old_bases, next_bases, refused_saves;

/* What arrived for a round: the delta, and the base that it leads to. */
static struct {
    uint8_t bytes[ROOM];
    uint32_t size;
} deltas[ROUNDS];
static uint8_t bases[ROUNDS + 1][TINY_CONTROL];

uint8_t *memory_arena(void)
{
    return arena.bytes;
}

uint32_t memory_arena_size(void)
{
    return sizeof arena.bytes;
}

static uint32_t size_of_all(void)
{
    return the_model.session.header->parameters_size;
}

static void boot(void)
{
    memset(&the_model, 0, sizeof the_model);
    memset(arena.bytes, 0xA5, sizeof arena.bytes);
    CHECK_STATUS(GM_OK, gm_required(image.bytes, image_size, &the_model.needs));
    CHECK_STATUS(GM_OK, gm_open(&the_model.session, image.bytes, image_size, arena.bytes, sizeof arena.bytes));
    (void)slots_load(&the_model.session);
}

static void train(uint32_t steps)
{
    static const float x[12] = {1, 2, 3, -1, 0.5f, 0, 0.25f, -2, 1, 0, 1, -1};
    static const float target[8] = {1, 0, 0, 1, -1, 1, 2, -1};
    gm_session *session = &the_model.session;
    CHECK_STATUS(GM_OK, gm_write(session, GM_ROLE_INPUT, 0, x, sizeof x));
    CHECK_STATUS(GM_OK, gm_write(session, GM_ROLE_LABEL, 0, target, sizeof target));
    for (uint32_t i = 0; i < steps; ++i) {
        CHECK_STATUS(GM_OK, gm_step(session, NULL));
    }
}

static gm_federated_round round_now(void)
{
    gm_federated_round round;
    CHECK_STATUS(0, federated_round(&the_model, &round));
    return round;
}

/* The round is number `number`, and its base is that of a device without cuts. */
static int is_in_round(uint32_t number)
{
    gm_federated_round round = round_now();
    const gm_header *header = the_model.session.header;
    const uint8_t *initial = image.bytes + header->sections[GM_SECTION_INITIAL].offset;
    const void *base = round.base != NULL ? round.base : initial;
    return round.number == number && (round.base == NULL) == (number == 0) &&
           memcmp(base, bases[number], size_of_all()) == 0;
}

/* ---- A round ----------------------------------------------------------------------------------------------------------- */

static int send_delta(uint32_t number, uint32_t bits)
{
    uint32_t next;
    int error = federated_expect(&the_model, deltas[number].size);
    for (uint32_t at = 0, size; error == 0 && at < deltas[number].size; at += size) {
        size = deltas[number].size - at < 24 ? deltas[number].size - at : 24;
        error = federated_take(&the_model, at, deltas[number].bytes + at, size);
    }
    return error ? error : federated_end(&the_model, bits, number, &next);
}

/* The delta that a server sends: here what one device learned. */
static void make_delta(uint32_t number)
{
    gm_federated_round round = round_now();
    round.bits = BITS;
    round.seed = number;
    train(3);
    deltas[number].size = gm_round_delta_size(&the_model.session, &round);
    CHECK(deltas[number].size <= ROOM);
    CHECK_STATUS(0, gm_round_delta_part(&the_model.session, &round, 0, deltas[number].bytes, deltas[number].size));
}

/* All rounds, without a cut: what each leads to. */
static void remember(void)
{
    boot();
    memcpy(bases[0], arena.bytes, size_of_all());
    for (uint32_t number = 0; number < ROUNDS; ++number) {
        make_delta(number);
        CHECK_STATUS(0, send_delta(number, 0));
        memcpy(bases[number + 1], arena.bytes, size_of_all());
        CHECK(is_in_round(number + 1));
    }
}

static int round_is_cut(uint32_t number, uint32_t operation, enum flash_cut kind, uint32_t seed)
{
    flash_cut(operation, kind, seed);
    if (setjmp(flash_power_failed)) {
        ++cuts;
        return 1;
    }
    CHECK_STATUS(0, send_delta(number, 0));
    flash_keep_power();
    return 0;
}

/* After a restart: what was lost is sent again. */
static void finish(uint32_t number)
{
    boot();
    CHECK(is_in_round(number) || is_in_round(number + 1));
    old_bases += (unsigned long)is_in_round(number);
    next_bases += (unsigned long)is_in_round(number + 1);
    if (is_in_round(number)) {
        CHECK_STATUS(0, send_delta(number, 0));
    }
    CHECK(is_in_round(number + 1) && memcmp(arena.bytes, bases[number + 1], size_of_all()) == 0);
}

/* Trains and saves, as often as there is room. */
static void save_some(uint32_t times)
{
    for (uint32_t i = 0; i < times; ++i) {
        train(1);
        int error = slots_save(&the_model.session);
        CHECK(error == 0 || error == CONSOLE_ERR_NO_ROOM_FOR_BASE);
        refused_saves += error != 0;
    }
}

static void test_cuts(uint32_t saves)
{
    flash_init();
    boot();
    for (uint32_t number = 0; number < ROUNDS; ++number) {
        train(2);
        save_some(saves);
        CHECK(is_in_round(number));
        flash before = the_flash;
        (void)flash_operations();
        CHECK_STATUS(0, send_delta(number, BITS));
        uint32_t operations = flash_operations();
        flash after = the_flash;
        for (uint32_t seed = 0; seed < operations * CUT_KINDS; ++seed) {
            the_flash = before;
            boot();
            train(2);
            CHECK(round_is_cut(number, seed / CUT_KINDS, (enum flash_cut)(seed % CUT_KINDS), seed));
            finish(number);
        }
        the_flash = after;
        boot();
        CHECK(is_in_round(number + 1));
    }
}

/* ---- What else may happen ------------------------------------------------------------------------------------------------ */

static int is_unchanged(const flash *then, const uint8_t *state)
{
    return memcmp(then->cells, the_flash.cells, FLASH_SIZE) == 0 && memcmp(arena.bytes, state, TINY_STATE_SIZE) == 0;
}

/* A delta that is corrupt, incomplete or of another round changes neither flash nor state. */
static void test_refused(void)
{
    static uint8_t state[TINY_STATE_SIZE];
    uint32_t next;
    flash_init();
    boot();
    train(3);
    CHECK_STATUS(0, send_delta(0, 0));
    train(1);
    flash then = the_flash;
    memcpy(state, arena.bytes, sizeof state);
    CHECK_STATUS(GM_ERR_OTHER_BASE, send_delta(0, 0));
    CHECK_STATUS(GM_ERR_OTHER_BASE, send_delta(2, 0));
    CHECK_STATUS(CONSOLE_ERR_OUT_OF_ORDER, federated_end(&the_model, 0, 0, &next));
    for (uint32_t byte = 0; byte < deltas[1].size; ++byte) {
        deltas[1].bytes[byte] ^= 0x20;
        CHECK(send_delta(1, 0) < 0 && is_unchanged(&then, state));
        deltas[1].bytes[byte] ^= 0x20;
    }
    CHECK_STATUS(0, federated_expect(&the_model, deltas[1].size));
    CHECK_STATUS(0, federated_take(&the_model, 0, deltas[1].bytes, 8));
    CHECK_STATUS(CONSOLE_ERR_OUT_OF_ORDER, federated_take(&the_model, 12, deltas[1].bytes + 12, 4));
    CHECK_STATUS(CONSOLE_ERR_OUT_OF_ORDER, federated_take(&the_model, 8, deltas[1].bytes, deltas[1].size));
    CHECK_STATUS(CONSOLE_ERR_OUT_OF_ORDER, federated_take(&the_model, 8, deltas[1].bytes, UINT32_MAX - 4));
    CHECK_STATUS(CONSOLE_ERR_OUT_OF_ORDER, federated_end(&the_model, 0, 0, &next));
    CHECK_STATUS(CONSOLE_ERR_TOO_LARGE, federated_expect(&the_model, UINT32_MAX));
    CHECK(is_unchanged(&then, state) && is_in_round(1));
    CHECK_STATUS(0, send_delta(1, 0));
    CHECK(is_in_round(2));
}

/* A base of any number can be set, and discarded; power may fail in any operation of the latter. */
static void test_given_bases(void)
{
    flash_init();
    boot();
    train(3);
    memcpy(bases[1], arena.bytes, size_of_all());
    CHECK_STATUS(0, federated_begin(&the_model, 1));
    CHECK(is_in_round(1));
    train(1);
    flash then = the_flash;
    static uint8_t trained[TINY_STATE_SIZE];
    memcpy(trained, arena.bytes, sizeof trained);
    (void)flash_operations();
    CHECK_STATUS(0, federated_begin(&the_model, 0));
    uint32_t operations = flash_operations();
    CHECK(is_in_round(0));
    boot();
    CHECK(is_in_round(0) && memcmp(arena.bytes, trained, sizeof trained) == 0);
    for (uint32_t seed = 0; seed < operations * CUT_KINDS; ++seed) {
        the_flash = then;
        boot();
        memcpy(arena.bytes, trained, sizeof trained);
        flash_cut(seed / CUT_KINDS, (enum flash_cut)(seed % CUT_KINDS), seed);
        if (setjmp(flash_power_failed) == 0) {
            (void)federated_begin(&the_model, 0);
            CHECK(0);
        }
        ++cuts;
        boot();
        CHECK(is_in_round(0) || is_in_round(1));
        CHECK(memcmp(arena.bytes, trained, sizeof trained) == 0 || memcmp(arena.bytes, bases[1], size_of_all()) == 0);
    }
}

int main(void)
{
    image_size = build_tiny(image.bytes);
    flash_init();
    remember();
    for (uint32_t saves = 0; saves < 4; ++saves) {
        test_cuts(saves);
    }
    test_refused();
    test_given_bases();
    printf("%lu cuts: %lu old bases, %lu next ones; %lu saves had no room\n", cuts, old_bases, next_bases,
           refused_saves);
    return checks_summary();
}
