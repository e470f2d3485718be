/* A board of memory, for the firmware as a program of this computer. Flash is as strict as the strictest part: only
 * erased units are programmed, whole ones at a time, and an area changes only if its user says that it may. */
#ifndef HOST_BOARD_H
#define HOST_BOARD_H

#include <setjmp.h>
#include <stdint.h>

#include "board.h"

#define HOST_IMAGE_AREA (64u << 10)
#define HOST_CHECKPOINT_AREA (16u << 10)
#define HOST_ARENA (64u << 10)

/* The target of board_reset(), and of power that fails. */
extern jmp_buf host_restart;

/* What befalls the change of flash number `at`, counted from 1 (0: none): power fails; the change reports an error; it
 * and all that follow do. It gets so far as `part` of 256 says, up to a byte inside of a unit. */
enum host_fault { HOST_POWER_CUT, HOST_ERROR, HOST_ERRORS };
extern struct host_flash {
    uint32_t changes; /* so far */
    uint32_t at;
    enum host_fault fault;
    uint32_t part;
} host_flash;

/* Bytes of the checkpoint area that the firmware knows of, HOST_CHECKPOINT_AREA at most. */
extern uint32_t host_checkpoint_size;

/* Erases the flash, puts an image there and fills the RAM; once before each run. */
void host_board_init(const uint8_t *image, uint32_t size);

/* What arrives on the line next; what is left of the last delivery is lost. */
void host_receive(const uint8_t *bytes, uint32_t count);
uint32_t host_bytes_left(void);

/* To be defined by the program: 1 if nobody relies on what these bytes of the area hold now. */
int host_may_change(enum board_area_kind kind, const uint8_t *at, uint32_t size);
/* The same: takes what the firmware sends. */
void host_sent(uint8_t byte);

#endif
