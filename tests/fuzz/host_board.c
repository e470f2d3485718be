#define _POSIX_C_SOURCE 200112L /* posix_memalign */

#include "host_board.h"

#include <string.h>

#include "aligned.h"
#include "device/memory.h"
#include "gradmote.h"

#define QUIET_TICKS 50000u /* of 1 us, between two looks at an idle line */

jmp_buf host_restart;

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
    board_area checkpoint = {checkpoint_area, HOST_CHECKPOINT_AREA, BOARD_ERASE_UNIT};
    return kind == BOARD_AREA_IMAGE ? image : checkpoint;
}

/* Bytes [at, at + size) as flash that may change now: whole units inside one area. */
static uint8_t *changeable(const uint8_t *at, uint32_t size, uint32_t unit)
{
    int in_image = at >= image_area && at < image_area + HOST_IMAGE_AREA;
    uint8_t *area = in_image ? image_area : checkpoint_area;
    uint32_t area_size = in_image ? HOST_IMAGE_AREA : HOST_CHECKPOINT_AREA;
    require(at >= area && at <= area + area_size && size <= area_size - (uint32_t)(at - area));
    require((uint32_t)(at - area) % unit == 0 && size % unit == 0);
    require(host_may_change(in_image ? BOARD_AREA_IMAGE : BOARD_AREA_CHECKPOINT, at, size));
    return area + (at - area);
}

int board_flash_erase(const uint8_t *at, uint32_t size)
{
    memset(changeable(at, size, BOARD_ERASE_UNIT), 0xFF, size);
    return 0;
}

int board_flash_program(const uint8_t *at, const void *data, uint32_t size)
{
    uint8_t *flash = changeable(at, size, BOARD_PROGRAM_UNIT);
    for (uint32_t i = 0; i < size; ++i) {
        require(flash[i] == 0xFF);
    }
    memcpy(flash, data, size);
    return 0;
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
