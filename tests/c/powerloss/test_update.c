/*
 * Updates under power that fails: in every program and erase operation of an update from the model that runs to another,
 * and back, in every way, and again while the board recovers. After each cut a restart finds the old model with the state
 * saved last or that of the moment, or the new model with what is carried over of that; never neither, never a mixture.
 * Then the update is made again, from what there is of it, and ends as one that was never interrupted. The second model
 * comes with an export table, and runs with all of it or not at all.
 */
#include <string.h>

#include "../../../firmware/generated/console_spec.h"
#include "../runtime/builder.h"
#include "../runtime/checks.h"
#include "device/memory.h"
#include "flash.h"
#include "storage/slots.h"
#include "training/model.h"
#include "training/update.h"

#define CHUNK 240u
#define ROUNDS 4u
#define BOOT_CUTS 16u

typedef struct state {
    uint8_t bytes[TINY_STATE_SIZE];
} state;

/* One of the models, and its image's initial state. */
typedef struct version {
    block image;
    uint32_t size;       /* bytes that are sent: of the image, and of its export table */
    uint32_t table_size; /* of these */
    state initial;
} version;

static version versions[2];
static block arena;
static model the_model;
static unsigned long cuts, kept_old, found_new, resumed;

uint8_t *memory_arena(void)
{
    return arena.bytes;
}

uint32_t memory_arena_size(void)
{
    return TINY_ARENA;
}

/* ---- The board --------------------------------------------------------------------------------------------------- */

static void boot(void)
{
    uint32_t carried;
    memset(&the_model, 0, sizeof the_model);
    memset(arena.bytes, 0xA5, sizeof arena.bytes);
    if (model_open(&the_model) == 0) {
        (void)model_restore(&the_model, &carried);
    }
}

static int has_table(const version *v)
{
    const uint8_t *table = v->image.bytes + v->size - v->table_size;
    return the_model.export_table.size == v->table_size &&
           (v->table_size == 0 || memcmp(the_model.export_table.base, table, v->table_size) == 0);
}

static int runs(const version *v)
{
    return the_model.status == 0 && memcmp(the_model.session.header, v->image.bytes, sizeof(gm_header)) == 0 &&
           has_table(v);
}

static state state_now(void)
{
    state now;
    memcpy(now.bytes, arena.bytes, sizeof now.bytes);
    return now;
}

static int same(const state *a, const state *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
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
    CHECK_STATUS(GM_OK, gm_property_set_i32(session, "steps", (int32_t)gm_control_view(session)->train_steps));
}

/* What `to` takes over of that state: w and the properties. b has another name, so no moments are taken. */
static state carried_to(const version *to, const state *from)
{
    state its = to->initial;
    memcpy(its.bytes + TINY_W, from->bytes + TINY_W, TINY_B - TINY_W);
    memcpy(its.bytes + TINY_PROPERTIES, from->bytes + TINY_PROPERTIES, TINY_STATE_SIZE - TINY_PROPERTIES);
    return its;
}

/* ---- An update ------------------------------------------------------------------------------------------------------ */

/* Whether flash has the beginning of this image, as a host asks by IMAGE_RESUME. */
static int goes_on(const version *v)
{
    const upload *file = &the_model.upload;
    return update_resume(&the_model) && file->size == v->size &&
           file->crc == gm_crc32(0, v->image.bytes, file->received);
}

static int send(const version *v)
{
    int error = 0;
    if (goes_on(v)) {
        resumed += the_model.upload.received != 0;
    } else {
        error = update_begin(&the_model, v->size);
    }
    while (error == 0 && the_model.upload.received < v->size) {
        uint32_t at = the_model.upload.received, left = v->size - at;
        error = upload_chunk(&the_model.upload, at, v->image.bytes + at, left < CHUNK ? left : CHUNK);
    }
    return error;
}

static int update(const version *to, uint32_t carry)
{
    uint32_t carried;
    int error = send(to);
    if (error == 0) {
        error = update_switch(&the_model, carry);
    }
    if (error) {
        return error;
    }
    model_close(&the_model);
    CHECK_STATUS(0, model_open(&the_model));
    return model_restore(&the_model, &carried);
}

static int update_is_cut(const version *to, uint32_t operation, enum flash_cut kind, uint32_t seed)
{
    flash_cut(operation, kind, seed);
    if (setjmp(flash_power_failed)) {
        return 1;
    }
    CHECK_STATUS(0, update(to, 1));
    flash_keep_power();
    return 0;
}

/* Power fails in an operation of the start too, if it has as many. */
static void boot_with_a_cut(uint32_t operation, enum flash_cut kind, uint32_t seed)
{
    flash_cut(operation, kind, seed);
    if (setjmp(flash_power_failed) == 0) {
        boot();
        flash_keep_power();
    } else {
        ++cuts;
    }
    boot();
}

/* ---- Every cut of one update ------------------------------------------------------------------------------------------ */

/* What holds before an update: the flash, and the state of the model that runs, with one that was saved before. */
typedef struct moment {
    flash flash;
    const version *old;
    const version *new;
    state saved;
    state now;
} moment;

static void go_back(const moment *then)
{
    the_flash = then->flash;
    boot();
    CHECK(runs(then->old));
    memcpy(arena.bytes, then->now.bytes, TINY_STATE_SIZE);
}

static void check_found(const moment *then)
{
    state found = state_now(), wanted = carried_to(then->new, &then->now);
    if (runs(then->new)) {
        ++found_new;
        CHECK(same(&found, &wanted));
        CHECK(slots_newest(&the_model.session).base != NULL);
    } else {
        ++kept_old;
        CHECK(runs(then->old) && (same(&found, &then->saved) || same(&found, &then->now)));
    }
}

/* The update goes on or is made again, power fails again, and at last it is done. */
static void finish(const moment *then, uint32_t operation, enum flash_cut kind, uint32_t seed)
{
    moment later = *then;
    if (runs(then->old)) {
        later.now = state_now();
        if (update_is_cut(then->new, operation, kind, seed)) {
            ++cuts;
            boot();
            check_found(&later);
        }
    }
    if (runs(then->old)) {
        later.now = state_now();
        CHECK_STATUS(0, update(then->new, 1));
    }
    check_found(&later);
    CHECK(runs(then->new));
    train(1);
    state trained = state_now();
    CHECK_STATUS(0, model_save(&the_model));
    CHECK_STATUS(0, model_save(&the_model));
    boot();
    state found = state_now();
    CHECK(runs(then->new) && same(&found, &trained));
}

static void cut_everywhere(const moment *then, uint32_t operations)
{
    for (uint32_t at = 0; at < operations; ++at) {
        for (enum flash_cut kind = CUT_BEFORE; kind < CUT_KINDS; ++kind) {
            uint32_t seed = at * CUT_KINDS + kind;
            go_back(then);
            CHECK(update_is_cut(then->new, at, kind, seed));
            ++cuts;
            boot_with_a_cut(seed * 7 % BOOT_CUTS, kind, seed);
            check_found(then);
            finish(then, seed * 2654435761u % operations, kind, seed + 1);
        }
    }
}

/* The running model was trained, saved, and trained on. */
static moment live(const version *old, const version *new)
{
    moment now = {.old = old, .new = new};
    train(2);
    CHECK_STATUS(0, model_save(&the_model));
    now.saved = state_now();
    train(3);
    now.now = state_now();
    now.flash = the_flash;
    return now;
}

/* The first image is there without an update, put there by a debugger or an upload. */
static void start_over(void)
{
    flash_init();
    memcpy(the_flash.cells, versions[0].image.bytes, versions[0].size);
    boot();
    CHECK(runs(&versions[0]));
}

static void test_cuts(void)
{
    start_over();
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        const version *old = &versions[round % 2], *new = &versions[(round + 1) % 2];
        moment then = live(old, new);
        (void)flash_operations();
        CHECK_STATUS(0, update(new, 1));
        uint32_t operations = flash_operations();
        moment after = {.flash = the_flash};
        check_found(&then);
        cut_everywhere(&then, operations);
        the_flash = after.flash;
        boot();
        CHECK(runs(new));
    }
}

/* ---- What else may happen ---------------------------------------------------------------------------------------------- */

/* An image that is refused, or only half of one, leaves the old model as it runs. */
static void test_refused(void)
{
    static version bad;
    start_over();
    moment then = live(&versions[0], &versions[1]);
    for (uint32_t byte = 0; byte < versions[1].size - versions[1].table_size; byte += 5) {
        bad = versions[1];
        bad.image.bytes[byte] ^= 0x10;
        CHECK(update(&bad, 1) < 0);
        state now = state_now();
        CHECK(runs(then.old) && same(&now, &then.now));
        boot();
        now = state_now();
        CHECK(runs(then.old) && same(&now, &then.saved));
        go_back(&then);
    }
    CHECK_STATUS(0, send(&versions[1]));
    CHECK_STATUS(0, upload_chunk(&the_model.upload, 0, versions[1].image.bytes, 4));
    upload_abandon(&the_model.upload);
    CHECK(update_switch(&the_model, 1) < 0 && runs(then.old));
    CHECK_STATUS(0, update(then.new, 1)); /* all of it is there */
    check_found(&then);
}

/* Without carrying over, the new model begins as its image says and ignores the old one's checkpoints. */
static void test_without_carrying(void)
{
    start_over();
    moment then = live(&versions[0], &versions[1]);
    (void)update(then.new, 0);
    state now = state_now();
    CHECK(runs(then.new) && same(&now, &then.new->initial));
    boot();
    now = state_now();
    CHECK(runs(then.new) && same(&now, &then.new->initial));
}

/* The new model ran before, and flash still has what it had learned then: that does not come back. */
static void test_earlier_checkpoints(void)
{
    start_over();
    CHECK_STATUS(0, update(&versions[1], 1));
    for (uint32_t saves = 0; saves < FLASH_CHECKPOINT_UNITS; ++saves) {
        train(1);
        CHECK_STATUS(0, model_save(&the_model));
    }
    CHECK_STATUS(0, update(&versions[0], 1));
    moment then = {.flash = the_flash, .old = &versions[0], .new = &versions[1], .saved = state_now()};
    then.now = then.saved;
    (void)flash_operations();
    CHECK_STATUS(0, update(then.new, 1));
    uint32_t operations = flash_operations();
    for (uint32_t at = 0; at < operations; ++at) {
        go_back(&then);
        CHECK(update_is_cut(then.new, at, CUT_AFTER, at));
        ++cuts;
        boot();
        check_found(&then);
    }
}

static void erase_with_a_cut(uint32_t operation, enum flash_cut kind, uint32_t seed)
{
    flash_cut(operation, kind, seed);
    if (setjmp(flash_power_failed) == 0) {
        (void)images_erase();
        flash_keep_power();
    }
    ++cuts;
}

static void cut_erasing(const version *old)
{
    flash before = the_flash;
    (void)flash_operations();
    CHECK_STATUS(0, images_erase());
    uint32_t operations = flash_operations();
    CHECK(images_in_force().base == NULL);
    for (uint32_t seed = 0; seed < operations * CUT_KINDS; ++seed) {
        the_flash = before;
        erase_with_a_cut(seed / CUT_KINDS, (enum flash_cut)(seed % CUT_KINDS), seed);
        boot();
        CHECK(the_model.status != 0 || runs(old));
    }
}

/* A whole new image replaces two: no older one comes back, whenever power fails while they are erased. */
static void test_erase(void)
{
    for (uint32_t updates = 0; updates < 3; ++updates) {
        const version *runs_now = &versions[updates % 2];
        start_over();
        for (uint32_t i = 1; i <= updates; ++i) {
            (void)update(&versions[i % 2], 0); /* flash has no checkpoint of it */
        }
        CHECK(runs(runs_now));
        cut_erasing(runs_now);
    }
}

static flash_span running_image(void)
{
    flash_span running = {the_model.session.image, model_flash_size(&the_model)};
    return running;
}

/* What does not fit is refused before anything changes. */
static void test_no_room(void)
{
    static version large;
    static flash before;
    flash_span room;
    start_over();
    moment then = live(&versions[0], &versions[1]);
    CHECK_STATUS(CONSOLE_ERR_NO_ROOM_TO_UPDATE, update_begin(&the_model, FLASH_IMAGE_SIZE / 2));
    CHECK_STATUS(CONSOLE_ERR_NO_ROOM_TO_UPDATE, update_begin(&the_model, UINT32_MAX));
    CHECK_STATUS(0, images_find_room(running_image(), &room));
    CHECK_STATUS(CONSOLE_ERR_NO_ROOM_TO_UPDATE, update_begin(&the_model, room.size + 1));
    CHECK(memcmp(&then.flash.cells, the_flash.cells, FLASH_SIZE) == 0);
    large.size = build_tiny_like(large.image.bytes, 0x3000, "c", FLASH_CHECKPOINT_SIZE / 2);
    if (update_begin(&the_model, large.size) == 0) {
        CHECK_STATUS(CONSOLE_ERR_NO_ROOM_TO_CARRY, update(&large, 1));
        state now = state_now();
        CHECK(runs(then.old) && same(&now, &then.now));
        before = the_flash;
        boot();
        now = state_now();
        CHECK(runs(then.old) && (same(&now, &then.saved) || same(&now, &then.now)));
        CHECK(memcmp(before.cells, the_flash.cells, FLASH_SIZE) == 0);
    }
    start_over();
    CHECK_STATUS(0, images_find_room(running_image(), &room));
    CHECK_STATUS(0, update_begin(&the_model, room.size));
}

static void make(version *v, uint32_t id, const char *b_name, uint32_t spare_names)
{
    static gm_session session;
    v->size = build_tiny_like(v->image.bytes, id, b_name, spare_names);
    CHECK_STATUS(GM_OK, gm_open(&session, v->image.bytes, v->size, arena.bytes, TINY_ARENA));
    memcpy(v->initial.bytes, arena.bytes, TINY_STATE_SIZE);
}

int main(void)
{
    make(&versions[0], 0x1000, "b", 0);
    make(&versions[1], 0x2000, "other_bias", SPARE_NAMES);
    versions[1].table_size = build_export_table(versions[1].image.bytes, versions[1].size);
    versions[1].size += versions[1].table_size;
    test_no_room();
    test_refused();
    test_without_carrying();
    test_erase();
    test_earlier_checkpoints();
    test_cuts();
    printf(
        "%lu power cuts of updates: the old model found %lu times, the new one %lu times; %lu uploads went on where they"
        " broke off\n",
        cuts, kept_old, found_new, resumed);
    return checks_summary();
}
