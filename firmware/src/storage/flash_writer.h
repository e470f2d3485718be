/*
 * Writes bytes of any count into erased flash, which takes whole units of BOARD_PROGRAM_UNIT bytes, and each of them
 * once: bytes that do not fill a unit wait for those that follow. There is one writer.
 */
#ifndef FLASH_WRITER_H
#define FLASH_WRITER_H

#include <stdint.h>

/* Forgets what still waits: of a file that was given up. */
void writer_begin(void);

/* Both return 0 or CONSOLE_ERR_FLASH. */

/* Where `at` is not where the last bytes ended, those are ended first. */
int writer_put(const uint8_t *at, const void *data, uint32_t count);
/* Programs what waits; the rest of its unit becomes 0xFF. */
int writer_end(void);

#endif
