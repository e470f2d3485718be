/* guard.h for emulated boards: ROOMS, of the command line, is the address of memory that nothing else uses. */
#ifndef GUARD_ON_BOARD_H
#define GUARD_ON_BOARD_H

#define ROOM_DISTANCE 0x100000u
#define ROOM_COUNT 2u /* each is ROOM_DISTANCE after the last, the first as far after ROOMS */

/* From now on everything faults but the program, its own memory, its peripherals, and the rooms. */
void guard_on_board(void);

#endif
