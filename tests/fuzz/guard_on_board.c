/*
 * Rooms of an emulated board, guarded by its memory protection.
 *
 * Armv8-M Architecture Reference Manual, "Protected Memory System Architecture". RISC-V: Privileged Architecture,
 * "Physical Memory Protection CSRs": entries that are locked hold for machine mode too.
 */
#include "guard_on_board.h"

#include "guard.h"
#include "repair.h"

/* Of the linker script: their addresses are the values. */
extern const uint8_t FLASH_ORIGIN[], FLASH_SIZE[], RAM_ORIGIN[], RAM_SIZE[];

#define VALUE(symbol) ((uint32_t)(uintptr_t)(symbol))
#define ROOM(number) (ROOMS + ((number) + 1u) * ROOM_DISTANCE)

#ifdef __riscv

#define NO_ACCESS 0x88u /* locked, from the address of the entry before to its own */
#define READ_WRITE 0x8Bu
#define OFF 0x00u
#define ENTRIES(a, b, c, d) ((a) | (b) << 8 | (c) << 16 | (d) << 24)
#define SET(csr, value) __asm volatile("csrw " csr ", %0" : : "r"(value))

/* Entry 0 is the board's, for its stack. What no entry covers is free: the program, and peripherals. */
void guard_on_board(void)
{
    SET("pmpaddr1", (VALUE(FLASH_ORIGIN) + VALUE(FLASH_SIZE)) >> 2);
    SET("pmpaddr2", VALUE(RAM_ORIGIN) >> 2);
    SET("pmpaddr3", (VALUE(RAM_ORIGIN) + VALUE(RAM_SIZE)) >> 2);
    SET("pmpaddr4", ROOM(0) >> 2);
    SET("pmpaddr5", (ROOM(0) + GUARD_LIMIT) >> 2);
    SET("pmpaddr6", ROOM(1) >> 2);
    SET("pmpaddr7", (ROOM(1) + GUARD_LIMIT) >> 2);
    SET("pmpaddr8", MEMORY_END >> 2);
    SET("pmpcfg1", ENTRIES(NO_ACCESS, READ_WRITE, NO_ACCESS, READ_WRITE));
    SET("pmpcfg2", NO_ACCESS);
    SET("pmpcfg0", ENTRIES(OFF, OFF, NO_ACCESS, READ_WRITE));
}

void guard_protect(guard *g, int protect)
{
    (void)g; /* locked entries stay as they are */
    (void)protect;
}

#else

#define MPU(offset) (*(volatile uint32_t *)(0xE000ED90u + (offset)))
#define MPU_CTRL MPU(0x04u)
#define MPU_RNR MPU(0x08u)
#define MPU_RBAR MPU(0x0Cu)
#define MPU_RLAR MPU(0x10u)
#define MPU_MAIR0 MPU(0x30u)
#define ENABLE 1u
#define NEVER_EXECUTE 1u
#define READ_ONLY 4u
#define MEMORY 0u              /* the first attribute of MAIR0 */
#define PERIPHERAL (1u << 1)   /* the second */
#define ATTRIBUTES 0x0044u     /* memory without cache; device */
#define FIRST_ROOM 3u          /* its region */

static void allow(uint32_t region, uint32_t begin, uint32_t size, uint32_t access, uint32_t kind)
{
    MPU_RNR = region;
    MPU_RBAR = begin | access;
    MPU_RLAR = ((begin + size - 1) & ~31u) | kind | ENABLE;
}

void guard_on_board(void)
{
    MPU_MAIR0 = ATTRIBUTES;
    allow(0, VALUE(FLASH_ORIGIN), VALUE(FLASH_SIZE), READ_ONLY, MEMORY);
    allow(1, VALUE(RAM_ORIGIN), VALUE(RAM_SIZE), NEVER_EXECUTE, MEMORY);
    allow(2, PERIPHERALS, 0x02000000u, NEVER_EXECUTE, PERIPHERAL);
    for (uint32_t i = 0; i < ROOM_COUNT; ++i) {
        allow(FIRST_ROOM + i, ROOM(i), GUARD_LIMIT, NEVER_EXECUTE, MEMORY);
    }
    __asm volatile("dsb" : : : "memory");
    MPU_CTRL = ENABLE;
    __asm volatile("dsb\n isb" : : : "memory");
}

void guard_protect(guard *g, int protect)
{
    uint32_t room = (uint32_t)(uintptr_t)g->room, number = (room - ROOMS) / ROOM_DISTANCE - 1;
    allow(FIRST_ROOM + number, room, GUARD_LIMIT, NEVER_EXECUTE | (protect ? READ_ONLY : 0u), MEMORY);
    __asm volatile("dsb\n isb" : : : "memory");
}

#endif

uint8_t *guard_reserve(void)
{
    static uint32_t taken;
    require(taken < ROOM_COUNT);
    return (uint8_t *)(uintptr_t)ROOM(taken++);
}
