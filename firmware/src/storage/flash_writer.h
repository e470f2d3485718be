/*
 * Writes any number of bytes into erased flash. Flash takes whole units of BOARD_PROGRAM_UNIT
 * bytes, each only once, so bytes that do not fill a unit wait for the next ones. There is only one
 * writer.
 */
#ifndef FLASH_WRITER_H
#define FLASH_WRITER_H

#include <stdint.h>

/* Discards the waiting bytes, which belong to an abandoned file. */
void writer_begin(void);

/* Writes `count` bytes at `at`. If the last bytes ended elsewhere, writer_end() is called first.
 * Returns 0 or CONSOLE_ERR_FLASH. */
int writer_put(const uint8_t *at, const void *data, uint32_t count);

/* Programs the waiting bytes, padded with 0xFF to a whole unit. Returns 0 or CONSOLE_ERR_FLASH. */
int writer_end(void);

#endif
