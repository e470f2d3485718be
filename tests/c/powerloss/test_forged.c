/*
 * Checkpoints beside slots that someone else has written: generations, sizes and headers drawn from the whole range,
 * files that are whole, and files that are not, in any number of slots. Whatever is there, a save that is reported as
 * done is what a restart loads, and so are those that follow it, round the ring and again.
 */
#include <string.h>

#include "../runtime/builder.h"
#include "../runtime/checks.h"
#include "flash.h"
#include "storage/slots.h"

#define TRIALS 4000u
#define STATES 8u
#define RECORD_WORDS 8u

static block image, arena;
static uint32_t image_size, slot_size, file_at;
static uint8_t states[STATES][TINY_STATE_SIZE];
static uint8_t slots[STATES][FLASH_CHECKPOINT_SIZE]; /* each as a save of that state leaves it */
static gm_session session;
static uint64_t random_state = 1;
static unsigned long saves, forged;

/* xorshift64, Marsaglia 2003 */
static uint32_t draw(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 32) * limit >> 32);
}

/* Any number; most are near those at which arithmetic modulo 2^32 wraps. */
static uint32_t hostile(void)
{
    static const uint32_t edges[] = {0, 1, 4, 48, 0x7FFFFFFE, 0x80000000, 0x80000001, 0xFFFFFFF0, 0xFFFFFFFE};
    return draw(3) == 0 ? (uint32_t)random_state : edges[draw(sizeof edges / sizeof *edges)] + draw(4);
}

static void boot(void)
{
    memset(&session, 0, sizeof session);
    memset(arena.bytes, 0xA5, sizeof arena.bytes);
    CHECK_STATUS(GM_OK, gm_open(&session, image.bytes, image_size, arena.bytes, TINY_ARENA));
}

static uint8_t *area(void)
{
    return the_flash.cells + FLASH_IMAGE_SIZE;
}

/* What a save of each state puts into the first slot. */
static void save_each(void)
{
    for (uint32_t i = 0; i < STATES; ++i) {
        flash_init();
        boot();
        CHECK_STATUS(GM_OK, gm_set_seed(&session, i));
        memcpy(states[i], arena.bytes, TINY_STATE_SIZE);
        CHECK_STATUS(GM_OK, slots_save(&session));
        flash_span file = slots_newest(&session);
        file_at = (uint32_t)(file.base - area());
        slot_size = (file_at + file.size + BOARD_ERASE_UNIT - 1) / BOARD_ERASE_UNIT * BOARD_ERASE_UNIT;
        memcpy(slots[i], area(), slot_size);
    }
}

/* Changes a word of the file's header, and repairs its checksum or not. */
static void forge_header(uint8_t *slot, uint32_t size)
{
    uint8_t *file = slot + file_at;
    uint32_t word = hostile(), crc;
    memcpy(file + 4 * draw(sizeof(gm_checkpoint) / 4), &word, sizeof word);
    if (draw(2) == 0) {
        crc = gm_crc32(0, file + 16, size - 16);
        memcpy(file + 12, &crc, sizeof crc);
    }
}

static void forge(uint8_t *slot)
{
    uint32_t record[RECORD_WORDS];
    memcpy(slot, slots[draw(STATES)], slot_size);
    memcpy(record, slot, sizeof record);
    if (draw(4) == 0) {
        forge_header(slot, record[1]);
    }
    record[0] = hostile();
    record[1] = draw(6) == 0 ? hostile() : record[1];
    record[7] = gm_crc32(0, (const uint8_t *)record, sizeof record - 4);
    memcpy(slot, record, sizeof record);
    memset(the_flash.written + (uint32_t)(slot - the_flash.cells) / BOARD_PROGRAM_UNIT, 1,
           slot_size / BOARD_PROGRAM_UNIT);
    ++forged;
}

static void check_a_save(uint32_t state)
{
    boot();
    memcpy(arena.bytes, states[state], TINY_STATE_SIZE);
    CHECK_STATUS(GM_OK, slots_save(&session));
    boot();
    CHECK_STATUS(GM_OK, slots_load(&session));
    CHECK(memcmp(arena.bytes, states[state], TINY_STATE_SIZE) == 0);
    flash_span newest = slots_newest(&session);
    CHECK(newest.base >= area() && newest.base + newest.size <= area() + FLASH_CHECKPOINT_SIZE);
    ++saves;
}

static void test_forged(void)
{
    for (uint32_t trial = 0; trial < TRIALS; ++trial) {
        flash_init();
        uint32_t count = FLASH_CHECKPOINT_SIZE / slot_size;
        for (uint32_t slot = 0; slot < count; ++slot) {
            if (draw(4) != 0) {
                forge(area() + slot * slot_size);
            }
        }
        boot();
        (void)slots_load(&session);
        for (uint32_t save = 0; save < 2 * count + 1; ++save) {
            check_a_save(draw(STATES));
        }
    }
}

int main(void)
{
    image_size = build_tiny(image.bytes);
    save_each();
    test_forged();
    printf("%lu slots forged, %lu saves beside them, all of them loaded\n", forged, saves);
    return checks_summary();
}
