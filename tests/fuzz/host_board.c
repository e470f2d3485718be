#define _POSIX_C_SOURCE 200112L /* posix_memalign */

#include "host_board.h"

#include <string.h>

#include "aligned.h"
#include "device/memory.h"
#include "gradmote.h"

#define QUIET_TICKS 50000u /* of 1 us, between two looks at an idle line */

jmp_buf host_restart;
struct host_flash host_flash;
uint32_t host_checkpoint_size = HOST_CHECKPOINT_AREA;

static uint8_t *image_area, *checkpoint_area, *arena; /* heap blocks, whose ends the sanitizer watches */
static struct {
    const uint8_t *next;
    uint32_t left;
} line;
static uint32_t ticks;

/* ---- Of the fuzz target ------------------------------------------------------------------------------------------- */

void host_board_init(const uint8_t *image, uint32_t size)
{
    if (arena == NULL) {
        image_area = aligned(HOST_IMAGE_AREA);
        checkpoint_area = aligned(HOST_CHECKPOINT_AREA);
        arena = aligned(HOST_ARENA);
    }
    memset(image_area, 0xFF, HOST_IMAGE_AREA);
    memset(checkpoint_area, 0xFF, HOST_CHECKPOINT_AREA);
    memset(arena, 0xA5, HOST_ARENA);
    memcpy(image_area, image, size);
    memset(&host_flash, 0, sizeof host_flash);
    ticks = 0;
    host_receive(NULL, 0);
}

void host_receive(const uint8_t *bytes, uint32_t count)
{
    line.next = bytes;
    line.left = count;
}

uint32_t host_bytes_left(void)
{
    return line.left;
}

/* ---- board.h ------------------------------------------------------------------------------------------------------ */

void board_init(void) {}

int board_uart_get(void)
{
    if (line.left == 0) {
        ticks += QUIET_TICKS;
        return -1;
    }
    ++ticks;
    --line.left;
    return *line.next++;
}

void board_uart_put(uint8_t byte)
{
    host_sent(byte);
}

void board_sleep(void) {}

uint32_t board_ticks(void)
{
    return ticks;
}

board_area board_flash_area(enum board_area_kind kind)
{
    board_area image = {image_area, HOST_IMAGE_AREA, BOARD_ERASE_UNIT};
    board_area checkpoint = {checkpoint_area, host_checkpoint_size, BOARD_ERASE_UNIT};
    return kind == BOARD_AREA_IMAGE ? image : checkpoint;
}

/* Bytes [at, at + size) as flash that may change now: whole units inside one area. */
static uint8_t *changeable(const uint8_t *at, uint32_t size, uint32_t unit)
{
    int in_image = at >= image_area && at < image_area + HOST_IMAGE_AREA;
    uint8_t *area = in_image ? image_area : checkpoint_area;
    uint32_t area_size = in_image ? HOST_IMAGE_AREA : host_checkpoint_size;
    require(at >= area && at <= area + area_size && size <= area_size - (uint32_t)(at - area));
    require((uint32_t)(at - area) % unit == 0 && size % unit == 0);
    require(host_may_change(in_image ? BOARD_AREA_IMAGE : BOARD_AREA_CHECKPOINT, at, size));
    return area + (at - area);
}

/* Counts a change of so many bytes; returns how many of them are done, and in *error what is reported of it. */
static uint32_t begin_change(uint32_t size, int *error)
{
    ++host_flash.changes;
    int is_first = host_flash.changes == host_flash.at;
    int fails =
        host_flash.at != 0 && (is_first || (host_flash.fault == HOST_ERRORS && host_flash.changes > host_flash.at));
    *error = fails ? -1 : 0;
    return fails ? (uint32_t)((uint64_t)size * host_flash.part / 256) : size;
}

static int end_change(int error)
{
    if (error && host_flash.fault == HOST_POWER_CUT) {
        host_flash.at = 0;
        longjmp(host_restart, 1);
    }
    return error;
}

int board_flash_erase(const uint8_t *at, uint32_t size)
{
    int error;
    uint8_t *flash = changeable(at, size, BOARD_ERASE_UNIT);
    memset(flash, 0xFF, begin_change(size, &error));
    return end_change(error);
}

int board_flash_program(const uint8_t *at, const void *data, uint32_t size)
{
    uint8_t *flash = changeable(at, size, BOARD_PROGRAM_UNIT);
    for (uint32_t i = 0; i < size; ++i) {
        require(flash[i] == 0xFF);
    }
    int error;
    memcpy(flash, data, begin_change(size, &error));
    return end_change(error);
}

uint64_t board_unique_id(void)
{
    return 0x0123456789ABCDEF;
}

void board_reset(void)
{
    longjmp(host_restart, 1);
}

/* ---- memory.h ------------------------------------------------------------------------------------------------------- */

void memory_paint_stack(void) {}

uint32_t memory_stack_used(void)
{
    return 0;
}

uint32_t memory_stack_size(void)
{
    return 0;
}

uint32_t memory_static_size(void)
{
    return 0;
}

uint32_t memory_arena_size(void)
{
    return HOST_ARENA;
}

uint32_t memory_ram_size(void)
{
    return HOST_ARENA;
}

uint32_t memory_code_size(void)
{
    return 0;
}

uint8_t *memory_arena(void)
{
    return arena;
}
