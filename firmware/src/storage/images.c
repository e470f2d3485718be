#include "storage/images.h"

#include <stddef.h>
#include <string.h>

#include "board.h"
#include "console_spec.h"
#include "storage/flash_writer.h"

typedef struct image_record {
    uint32_t generation;   /* incremented by each update, modulo 2^32 */
    uint32_t size;         /* bytes of the image */
    uint32_t carried_at;   /* of the checkpoint to carry over from: offset in the checkpoint area, */
    uint32_t carried_size; /* bytes (0: there is none), */
    uint32_t carried_crc;  /* and checksum, by its own header */
    uint32_t reserved[2];
    uint32_t check;        /* CRC-32 of the fields above */
} image_record;

/* The record has its own units of flash. */
#define RECORD_ROOM \
    ((uint32_t)(sizeof(image_record) + BOARD_PROGRAM_UNIT - 1) / BOARD_PROGRAM_UNIT * BOARD_PROGRAM_UNIT)

enum { HALVES = 2 };

static uint32_t half_size(const board_area *area)
{
    return area->size / HALVES / area->erase_unit * area->erase_unit;
}

/* Returns the range of a half without its record, or an empty one if the area is too small for two
 * halves. */
static flash_span half_of(uint32_t half)
{
    board_area area = board_flash_area(BOARD_AREA_IMAGE);
    uint32_t size = half_size(&area);
    flash_span room = {area.base + half * size, size > RECORD_ROOM ? size - RECORD_ROOM : 0};
    return room;
}

static const uint8_t *record_place(flash_span room)
{
    return room.base + room.size;
}

/* Reads a half's record and returns whether it is valid. Anyone with access to the line can write
 * one (IMAGE_DATA), so what it points to is checked like any file. */
static int read_record(uint32_t half, image_record *record)
{
    flash_span room = half_of(half);
    if (room.size == 0) {
        return 0;
    }
    memcpy(record, record_place(room), sizeof *record);
    return record->check == gm_crc32(0, record, offsetof(image_record, check)) && record->size <= room.size;
}

/* Compares generations modulo 2^32, as RFC 1982 does. */
static int is_later(uint32_t generation, uint32_t other)
{
    return generation - other - 1 < (uint32_t)INT32_MAX;
}

/* Returns the active half and its record, or HALVES and zeros if there is no valid record. */
static uint32_t newest(image_record *record)
{
    image_record second;
    int has_first = read_record(0, record), has_second = read_record(1, &second);
    if (has_second && (!has_first || is_later(second.generation, record->generation))) {
        *record = second;
        return 1;
    }
    if (!has_first) {
        memset(record, 0, sizeof *record);
    }
    return has_first ? 0 : HALVES;
}

flash_span images_in_force(void)
{
    board_area area = board_flash_area(BOARD_AREA_IMAGE);
    image_record record;
    uint32_t half = newest(&record);
    flash_span image = {area.base, area.size};
    if (half < HALVES) {
        image.base = half_of(half).base;
        image.size = record.size;
    } else if (images_is_blank(area.base)) {
        image.base = NULL;
    }
    return image;
}

flash_span images_carried(void)
{
    board_area area = board_flash_area(BOARD_AREA_CHECKPOINT);
    flash_span file = {NULL, 0};
    image_record record;
    gm_checkpoint header;
    (void)newest(&record);
    if (record.carried_at > area.size || record.carried_size > area.size - record.carried_at ||
        record.carried_size < sizeof header) {
        return file;
    }
    memcpy(&header, area.base + record.carried_at, sizeof header);
    if (header.crc == record.carried_crc) {
        file.base = area.base + record.carried_at;
        file.size = record.carried_size;
    }
    return file;
}

int images_find_room(flash_span running, flash_span *room)
{
    uint32_t start = (uint32_t)((uintptr_t)running.base - (uintptr_t)half_of(0).base);
    flash_span first = half_of(0), second = half_of(1);
    uint32_t half_end = (uint32_t)(second.base - first.base);
    int is_in_second = running.base == second.base;
    int is_elsewhere = start >= board_flash_area(BOARD_AREA_IMAGE).size; /* the application's own image */
    *room = is_in_second ? first : second;
    int fits = is_in_second || is_elsewhere || running.size <= half_end;
    return room->size != 0 && fits ? 0 : CONSOLE_ERR_NO_ROOM_TO_UPDATE;
}

uint32_t images_half(flash_span room)
{
    return room.size + RECORD_ROOM;
}

int images_switch(flash_span room, uint32_t size, flash_span carried)
{
    image_record record;
    (void)newest(&record);
    image_record next = {.generation = record.generation + 1, .size = size};
    if (carried.base != NULL) {
        gm_checkpoint header;
        memcpy(&header, carried.base, sizeof header);
        next.carried_at = (uint32_t)(carried.base - board_flash_area(BOARD_AREA_CHECKPOINT).base);
        next.carried_size = carried.size;
        next.carried_crc = header.crc;
    }
    next.check = gm_crc32(0, &next, offsetof(image_record, check));
    writer_begin();
    int error = writer_put(record_place(room), &next, sizeof next);
    if (error == 0) {
        error = writer_end();
    }
    return error == 0 && images_in_force().base != room.base ? CONSOLE_ERR_FLASH : error;
}

/* Erases the active half last, so that an older image does not become active in between. */
int images_erase(void)
{
    board_area area = board_flash_area(BOARD_AREA_IMAGE);
    image_record record;
    uint32_t middle = half_size(&area);
    int second_is_first = newest(&record) != 1 && middle != 0;
    uint32_t whole = second_is_first ? middle : area.size;
    if (second_is_first && board_flash_erase(area.base + middle, area.size - middle)) {
        return CONSOLE_ERR_FLASH;
    }
    return board_flash_erase(area.base, whole) ? CONSOLE_ERR_FLASH : 0;
}
