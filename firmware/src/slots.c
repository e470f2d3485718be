#include "slots.h"

#include <string.h>

#include "board.h"
#include "../generated/console_spec.h"
#include "flash_writer.h"

#define RECORD_SIZE 16u
/* Where in a slot its file begins: the record has a unit of flash of its own, and what follows the file's header begins
 * a new one, since record and header are each written after what follows them. */
#define RECORD_ROOM (RECORD_SIZE > BOARD_PROGRAM_UNIT ? RECORD_SIZE : BOARD_PROGRAM_UNIT)
#define HEADER_SIZE ((uint32_t)sizeof(gm_checkpoint))
#define FILE_START (round_up(RECORD_ROOM + HEADER_SIZE, BOARD_PROGRAM_UNIT) - HEADER_SIZE)

typedef struct slot_record {
    uint32_t generation; /* the higher, the newer; from 1 */
    uint32_t size;       /* bytes of the file */
    uint32_t check;      /* CRC-32 of the two above */
    uint32_t unused;
} slot_record;
typedef char slot_record_size_is_16[sizeof(slot_record) == RECORD_SIZE ? 1 : -1];

static uint32_t round_up(uint32_t size, uint32_t unit)
{
    return (size + unit - 1) / unit * unit;
}

static uint32_t slot_size(void)
{
    return board_flash_area(BOARD_AREA_CHECKPOINT).size / 2;
}

static const uint8_t *slot_base(int slot)
{
    return board_flash_area(BOARD_AREA_CHECKPOINT).base + (uint32_t)slot * slot_size();
}

/* 0 where the slot holds no complete checkpoint. */
static uint32_t slot_generation(int slot)
{
    slot_record record;
    memcpy(&record, slot_base(slot), sizeof record);
    int valid = record.check == gm_crc32(0, &record, 8) && record.size <= slots_capacity();
    return valid ? record.generation : 0;
}

static int newest_slot(void)
{
    return slot_generation(1) > slot_generation(0);
}

uint32_t slots_capacity(void)
{
    return slot_size() - FILE_START;
}

const uint8_t *slots_newest(uint32_t *size)
{
    int slot = newest_slot();
    slot_record record;
    *size = 0;
    if (slot_generation(slot) == 0) {
        return NULL;
    }
    memcpy(&record, slot_base(slot), sizeof record);
    *size = record.size;
    return slot_base(slot) + FILE_START;
}

int slots_prepare(const uint8_t **base)
{
    const uint8_t *slot = slot_base(!newest_slot());
    *base = slot + FILE_START;
    writer_begin();
    return board_flash_erase(slot, slot_size()) ? CONSOLE_ERR_FLASH : 0;
}

static int commit(uint32_t size)
{
    int slot = !newest_slot();
    slot_record record = { slot_generation(!slot) + 1, size, 0, 0xFFFFFFFFu };
    record.check = gm_crc32(0, &record, 8);
    int error = writer_put(slot_base(slot), &record, sizeof record);
    return error ? error : writer_end();
}

static int write_flash(void *user, uint32_t offset, const void *data, uint32_t size)
{
    return writer_put((const uint8_t *)user + offset, data, size);
}

static int read_flash(void *user, uint32_t offset, void *data, uint32_t size)
{
    memcpy(data, (const uint8_t *)user + offset, size);
    return 0;
}

int slots_save(const gm_session *session)
{
    const uint8_t *base;
    uint32_t size = gm_checkpoint_size(session);
    if (size > slots_capacity()) {
        return CONSOLE_ERR_TOO_LARGE;
    }
    int error = slots_prepare(&base);
    if (error == 0) {
        error = gm_checkpoint_save(session, write_flash, (void *)(uintptr_t)base);
    }
    return error ? error : commit(size);
}

static int load_slot(gm_session *session, int slot)
{
    const uint8_t *base = slot_base(slot);
    slot_record record;
    if (slot_generation(slot) == 0) {
        return CONSOLE_ERR_NO_CHECKPOINT;
    }
    memcpy(&record, base, sizeof record);
    return gm_checkpoint_load(session, read_flash, (void *)(uintptr_t)(base + FILE_START), record.size);
}

int slots_load(gm_session *session)
{
    int newest = newest_slot();
    int error = load_slot(session, newest);
    if (error == 0 || load_slot(session, !newest) == 0) {
        return 0;
    }
    return error;
}

int slots_adopt(gm_session *session, uint32_t size)
{
    const uint8_t *base = slot_base(!newest_slot()) + FILE_START;
    int error = gm_checkpoint_load(session, read_flash, (void *)(uintptr_t)base, size);
    return error ? error : commit(size);
}
