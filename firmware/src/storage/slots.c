/* In this file a slot is always a checkpoint slot. slots.h explains how slots are written. */
#include "storage/slots.h"

#include <stddef.h>
#include <string.h>

#include "board.h"
#include "console_spec.h"
#include "storage/flash_writer.h"
#include "storage/images.h"
#include "storage/kept_file.h"

typedef struct slot_record {
    uint32_t generation; /* 1 more than in the save before, modulo 2^32 */
    uint32_t size;       /* of the file, in bytes */
    uint32_t model_id[4];
    uint32_t round;      /* the round of federated learning that these parameters are the base of; 0: none */
    uint32_t check;      /* CRC-32 of the fields above */
} slot_record;

/* FILE_START is the offset of the file in its slot. A program unit can be written only once. The
 * bytes after the file's header are written first, then the header, then the record. No two of
 * these three may share a unit, so FILE_START + HEADER_SIZE is a multiple of the unit, and
 * RECORD_ROOM is at least one unit. */
#define RECORD_ROOM (sizeof(slot_record) > BOARD_PROGRAM_UNIT ? (uint32_t)sizeof(slot_record) : BOARD_PROGRAM_UNIT)
#define HEADER_SIZE ((uint32_t)sizeof(gm_checkpoint))
#define FILE_START (round_up(RECORD_ROOM + HEADER_SIZE, BOARD_PROGRAM_UNIT) - HEADER_SIZE)

/* The checkpoint area of flash, divided into slots of the size that one model's checkpoints need.
 * After the last slot, saves begin again at the first. */
typedef struct ring {
    const gm_session *session; /* of the model; if it is not open, it has only a header */
    const uint8_t *base;
    uint32_t slot_size; /* bytes, a multiple of the erase unit */
    uint32_t count;     /* slots */
} ring;

#define NO_SLOT UINT32_MAX

/* The fields of a record that newest_of() compares and returns. */
typedef struct entry {
    uint32_t generation;
    uint32_t size;
    uint32_t round;
} entry;

enum kind { ANY, BASES };

static uint32_t round_up(uint32_t size, uint32_t unit)
{
    return (size + unit - 1) / unit * unit;
}

static ring ring_of(const gm_session *session)
{
    board_area area = board_flash_area(BOARD_AREA_CHECKPOINT);
    uint32_t slot_size = round_up(FILE_START + gm_checkpoint_size(session), area.erase_unit);
    ring r = {session, area.base, slot_size, area.size / slot_size};
    return r;
}

static const uint8_t *slot_base(const ring *r, uint32_t slot)
{
    return r->base + slot * r->slot_size;
}

static const uint8_t *file_base(const ring *r, uint32_t slot)
{
    return slot_base(r, slot) + FILE_START;
}

/* Reads a slot's record into *found. Returns whether the slot holds a complete file of this model,
 * judging by its record and the file's header. Anyone who can send to the serial line can write
 * both, so everything that uses a slot calls this first. */
static int find_entry(const ring *r, uint32_t slot, entry *found)
{
    slot_record record;
    memcpy(&record, slot_base(r, slot), sizeof record);
    found->generation = record.generation;
    found->size = record.size;
    found->round = record.round;
    return record.check == gm_crc32(0, &record, offsetof(slot_record, check)) &&
           record.size <= r->slot_size - FILE_START &&
           memcmp(record.model_id, r->session->header->model_id, sizeof record.model_id) == 0 &&
           kept_file_fits(r->session, file_base(r, slot), record.size);
}

int slots_read(void *user, uint32_t offset, void *data, uint32_t size)
{
    memcpy(data, (const uint8_t *)user + offset, size);
    return 0;
}

/* Returns 0 if the bytes of the file are intact, else an error of gm_checkpoint_check(). */
static int check_file(const ring *r, uint32_t slot, uint32_t size)
{
    void *file = (void *)(uintptr_t)file_base(r, slot);
    return gm_checkpoint_check(r->session, slots_read, file, size);
}

/* Returns whether `generation` comes after `other`, modulo 2^32 as in RFC 1982, since it may wrap:
 * whether generation - other is in 1 .. 2^31 - 1. */
static int is_later(uint32_t generation, uint32_t other)
{
    return generation - other - 1 < (uint32_t)INT32_MAX;
}

/* Returns whether newest_of() can skip its checks: the slot is of another kind, or not later than
 * the best so far, which is in slot `good`. */
static int is_passed_over(const entry *found, enum kind kind, uint32_t good, const entry *newest)
{
    return (kind == BASES && found->round == 0) ||
           (good != NO_SLOT && !is_later(found->generation, newest->generation));
}

/* Returns the good slot (with an intact file) of the latest generation, and its entry in *newest.
 * If there is none, returns NO_SLOT, and *refusal is the error of the last file checked, or
 * CONSOLE_ERR_NO_CHECKPOINT.
 *
 * Checking a file reads all of it, so this checks only files later than the best so far. It begins
 * with the last slot, so if slots were written in turn and all files are intact, it checks at most
 * two: the last slot's and the newest. */
static uint32_t newest_of(const ring *r, enum kind kind, entry *newest, int *refusal)
{
    uint32_t good = NO_SLOT;
    entry found;
    *refusal = CONSOLE_ERR_NO_CHECKPOINT;
    for (uint32_t slot = r->count; slot-- > 0;) {
        if (!find_entry(r, slot, &found) || is_passed_over(&found, kind, good, newest)) {
            continue;
        }
        int error = check_file(r, slot, found.size);
        if (error) {
            *refusal = error;
        } else {
            good = slot;
            *newest = found;
        }
    }
    return good;
}

static uint32_t newest_good(const ring *r, entry *newest, int *refusal)
{
    return newest_of(r, ANY, newest, refusal);
}

/* Returns the slot of the round's base, or NO_SLOT. */
static uint32_t base_slot(const ring *r)
{
    entry ignored;
    int refusal;
    return newest_of(r, BASES, &ignored, &refusal);
}

/* ---- Protected slots ------------------------------------------------------------------------- */

/* Bytes start .. end - 1 of the area; empty if start == end. */
typedef struct range {
    uint32_t start;
    uint32_t end;
} range;

static range range_of(const ring *r, flash_span file)
{
    range found = {0, 0};
    if (file.base != NULL) {
        found.start = (uint32_t)(file.base - r->base);
        found.end = found.start + file.size;
    }
    return found;
}

static int overlap(range a, range b)
{
    return a.start < b.end && b.start < a.end;
}

static range range_of_slot(const ring *r, uint32_t slot)
{
    range found = {slot * r->slot_size, (slot + 1) * r->slot_size};
    return found;
}

/* Returns the range that no save may overwrite: slot `good`, which holds the newest good
 * checkpoint; or, if that is NO_SLOT, the checkpoint from which the image carries state over. */
static range protected_range(const ring *r, uint32_t good)
{
    return good == NO_SLOT ? range_of(r, images_carried()) : range_of_slot(r, good);
}

/* Returns the first slot, going around the ring from `first`, that does not overlap `occupied` and
 * is not `base`, or NO_SLOT if there is none. */
static uint32_t slot_beside(const ring *r, range occupied, uint32_t base, uint32_t first)
{
    for (uint32_t i = 0; i < r->count; ++i) {
        uint32_t slot = (first + i) % r->count;
        if (slot != base && !overlap(range_of_slot(r, slot), occupied)) {
            return slot;
        }
    }
    return NO_SLOT;
}

/* ---- Public ---------------------------------------------------------------------------------- */

uint32_t slots_capacity(void)
{
    board_area area = board_flash_area(BOARD_AREA_CHECKPOINT);
    /* A ring needs two slots. */
    uint32_t half = area.size / 2 / area.erase_unit * area.erase_unit;
    return half > FILE_START ? half - FILE_START : 0;
}

uint32_t slots_count(const gm_session *session)
{
    return ring_of(session).count;
}

flash_span slots_newest(const gm_session *session)
{
    ring r = ring_of(session);
    flash_span file = {NULL, 0};
    entry newest;
    int refusal;
    uint32_t slot = newest_good(&r, &newest, &refusal);
    if (slot != NO_SLOT) {
        file.base = file_base(&r, slot);
        file.size = newest.size;
    }
    return file;
}

/* Writes the record of a slot, after its file. This makes the slot valid. */
static int write_record(const ring *r, uint32_t slot, uint32_t generation, uint32_t round)
{
    slot_record record = {generation, gm_checkpoint_size(r->session), {0}, round, 0};
    memcpy(record.model_id, r->session->header->model_id, sizeof record.model_id);
    record.check = gm_crc32(0, &record, offsetof(slot_record, check));
    int error = writer_put(slot_base(r, slot), &record, sizeof record);
    return error ? error : writer_end();
}

/* Writes to a file in flash, as a gm_write_fn. user: the address of the file. */
static int write_flash(void *user, uint32_t offset, const void *data, uint32_t size)
{
    return writer_put((const uint8_t *)user + offset, data, size);
}

/* Erases a slot and writes the session's checkpoint there, without a record. next: NULL, or the
 * delta to the base that its parameters are to be. */
static int write_file(const ring *r, uint32_t slot, const slots_next *next)
{
    writer_begin();
    if (board_flash_erase(slot_base(r, slot), r->slot_size)) {
        return CONSOLE_ERR_FLASH;
    }
    void *file = (void *)(uintptr_t)file_base(r, slot);
    int error = BOARD_ROUNDS && next != NULL
                    ? gm_round_save(r->session, next->round, next->delta, next->size, write_flash, file)
                    : gm_checkpoint_save(r->session, write_flash, file);
    return error == GM_ERR_IO ? CONSOLE_ERR_FLASH : error;
}

/* Erases the first erase unit of a slot, which holds its record, and so makes the slot invalid. */
static int forget_slot(const ring *r, uint32_t slot)
{
    uint32_t unit = board_flash_area(BOARD_AREA_CHECKPOINT).erase_unit;
    return board_flash_erase(slot_base(r, slot), unit) ? CONSOLE_ERR_FLASH : 0;
}

/* Makes sure that a restart would find this slot as the newest of a kind; only then is a save
 * complete. Forgets any slot that newest_of() still prefers, one at a time. Only forged records
 * lead to one: with generations from the whole range, is_later() is not transitive. */
static int make_newest(const ring *r, uint32_t slot, enum kind kind)
{
    entry found;
    int refusal;
    if (!find_entry(r, slot, &found) || check_file(r, slot, found.size) != 0) {
        return CONSOLE_ERR_FLASH;
    }
    uint32_t newest = newest_of(r, kind, &found, &refusal);
    while (newest != slot) {
        if (newest == NO_SLOT || forget_slot(r, newest)) {
            return CONSOLE_ERR_FLASH;
        }
        newest = newest_of(r, kind, &found, &refusal);
    }
    return 0;
}

/* Writes a slot, its record last. round: 0, or the number of the base in it. */
static int write_slot(const ring *r, uint32_t slot, uint32_t generation, uint32_t round, const slots_next *next)
{
    int error = write_file(r, slot, next);
    if (error == 0) {
        error = write_record(r, slot, generation, round);
    }
    if (error == 0) {
        error = make_newest(r, slot, ANY);
    }
    return error == 0 && round != 0 ? make_newest(r, slot, BASES) : error;
}

int slots_save(const gm_session *session)
{
    ring r = ring_of(session);
    entry newest = {0, 0, 0}; /* so that the first save has generation 1 */
    int error;
    uint32_t good = newest_good(&r, &newest, &error), base = base_slot(&r);
    uint32_t slot = slot_beside(&r, protected_range(&r, good), base, good == NO_SLOT ? 0 : good + 1);
    if (r.count < 2 || slot == NO_SLOT) {
        return base == NO_SLOT ? CONSOLE_ERR_TOO_LARGE : CONSOLE_ERR_NO_ROOM_FOR_BASE;
    }
    return write_slot(&r, slot, newest.generation + 1, 0, NULL);
}

/* ---- The base of a round --------------------------------------------------------------------- */

/* The old base always survives. So does the newest checkpoint after it if there is a third slot;
 * otherwise the new base replaces it. */
int slots_save_base(const gm_session *session, uint32_t round, const slots_next *next)
{
    ring r = ring_of(session);
    entry newest = {0, 0, 0};
    int error;
    uint32_t good = newest_good(&r, &newest, &error), base = base_slot(&r), first = good == NO_SLOT ? 0 : good + 1;
    uint32_t slot = slot_beside(&r, protected_range(&r, good), base, first);
    if (slot == NO_SLOT && base != NO_SLOT) {
        slot = slot_beside(&r, range_of_slot(&r, base), base, first);
    }
    if (r.count < 2 || slot == NO_SLOT) {
        return CONSOLE_ERR_TOO_LARGE;
    }
    return write_slot(&r, slot, newest.generation + 1, round, next);
}

flash_span slots_base(const gm_session *session, uint32_t *round)
{
    ring r = ring_of(session);
    flash_span parameters = {NULL, 0};
    entry newest;
    int refusal;
    uint32_t slot = newest_of(&r, BASES, &newest, &refusal);
    *round = 0;
    if (slot != NO_SLOT && kept_file_is_plain(file_base(&r, slot))) {
        *round = newest.round;
        parameters.base = file_base(&r, slot) + newest.size - session->header->state_size;
        parameters.size = session->header->parameters_size;
    }
    return parameters;
}

/* Forgets the entries of a kind that do not overlap `kept`. If power fails in between, the newest
 * base remains, so no older one comes back. noinline: its frame must not add to the deepest stack,
 * which is that of a save. */
__attribute__((noinline)) static int forget_entries(const ring *r, enum kind kind, range kept)
{
    entry found;
    uint32_t unit = board_flash_area(BOARD_AREA_CHECKPOINT).erase_unit, newest = base_slot(r);
    for (uint32_t i = 0; i <= r->count; ++i) {
        uint32_t slot = i < r->count ? i : newest;
        if (slot == NO_SLOT || (slot == newest && i < r->count) || !find_entry(r, slot, &found) ||
            (kind == BASES && found.round == 0)) {
            continue;
        }
        range erased = {slot * r->slot_size, slot * r->slot_size + unit}; /* by forget_slot() */
        if (!overlap(erased, kept) && forget_slot(r, slot)) {
            return CONSOLE_ERR_FLASH;
        }
    }
    return 0;
}

int slots_forget_base(const gm_session *session)
{
    ring r = ring_of(session);
    entry newest;
    int refusal, error = 0;
    if (newest_good(&r, &newest, &refusal) != NO_SLOT && newest.round != 0) {
        error = slots_save(session);
    }
    const range none = {0, 0};
    return error ? error : forget_entries(&r, BASES, none);
}

/* ---- Loading --------------------------------------------------------------------------------- */

int slots_load(gm_session *session)
{
    ring r = ring_of(session);
    entry newest;
    int refusal;
    uint32_t slot = newest_good(&r, &newest, &refusal);
    if (slot == NO_SLOT) {
        return refusal;
    }
    return gm_checkpoint_load(session, slots_read, (void *)(uintptr_t)file_base(&r, slot), newest.size);
}

int slots_prepare(const gm_session *session, uint32_t size, const uint8_t **base)
{
    ring r = ring_of(session);
    board_area area = board_flash_area(BOARD_AREA_CHECKPOINT);
    entry newest;
    int refusal;
    /* In a ring of fewer than two slots, there is no checkpoint of this model. */
    range stays = protected_range(&r, r.count < 2 ? NO_SLOT : newest_good(&r, &newest, &refusal));
    uint32_t base_at = r.count < 2 ? NO_SLOT : base_slot(&r);
    if (base_at != NO_SLOT) { /* and everything between the two */
        range its = range_of_slot(&r, base_at);
        stays.start = its.start < stays.start ? its.start : stays.start;
        stays.end = its.end > stays.end ? its.end : stays.end;
    }
    /* The file goes after the protected range or before it, wherever more whole erase units are
     * free. */
    uint32_t room_before = stays.start / area.erase_unit * area.erase_unit;
    uint32_t start_behind = round_up(stays.end, area.erase_unit);
    uint32_t start = area.size - start_behind >= room_before ? start_behind : 0;
    uint32_t room = start == start_behind ? area.size - start_behind : room_before;
    *base = area.base + start;
    if (size > room || size > slots_capacity()) {
        return CONSOLE_ERR_TOO_LARGE;
    }
    return board_flash_erase(*base, room) ? CONSOLE_ERR_FLASH : 0;
}

int slots_adopt(gm_session *session, const uint8_t *base, uint32_t size)
{
    int error = gm_checkpoint_load(session, slots_read, (void *)(uintptr_t)base, size);
    return error ? error : slots_save(session);
}

/* ---- For an update of the image -------------------------------------------------------------- */

int slots_has_room_beside(const gm_header *model, flash_span saved)
{
    const gm_session unopened = {.header = model};
    ring r = ring_of(&unopened);
    return r.count >= 2 && slot_beside(&r, range_of(&r, saved), NO_SLOT, 0) != NO_SLOT;
}

int slots_forget(const gm_header *model, flash_span saved)
{
    const gm_session unopened = {.header = model};
    ring r = ring_of(&unopened);
    return forget_entries(&r, ANY, range_of(&r, saved));
}
