/*
 * Writes any number of bytes into erased flash. Flash takes whole units of BOARD_PROGRAM_UNIT
 * bytes, and each of them once, so bytes that do not fill a unit wait for those that follow. There
 * is one writer.
 */
#ifndef FLASH_WRITER_H
#define FLASH_WRITER_H

#include <stdint.h>

/* Drops the bytes that still wait, which belong to a file that was given up. */
void writer_begin(void);

/* Writes `count` bytes at `at`. If the last bytes ended elsewhere, writer_end() is called first.
 * Returns 0 or CONSOLE_ERR_FLASH. */
int writer_put(const uint8_t *at, const void *data, uint32_t count);

/* Programs the bytes that wait; the rest of their unit becomes 0xFF. Returns 0 or
 * CONSOLE_ERR_FLASH. */
int writer_end(void);

#endif
