/* A file that arrives in chunks and goes to flash. */
#ifndef UPLOAD_H
#define UPLOAD_H

#include <stdint.h>

/* Zero-initialize. */
typedef struct upload {
    const uint8_t *base; /* address of the file in flash; NULL between transfers */
    uint32_t size;       /* bytes of the whole file */
    uint32_t received;   /* bytes so far */
    uint32_t crc;        /* CRC-32 of the received bytes */
} upload;

/* Begins the transfer of a file of `size` bytes to erased flash at `base`, which has room for
 * `capacity` bytes. Returns 0 or a console_error. */
int upload_begin(upload *file, const uint8_t *base, uint32_t capacity, uint32_t size);

/* Resumes the transfer of an image after a restart, with the whole erase units that flash holds of
 * it. Erases what follows them, because power may have failed there, and programmed 0xFF reads as
 * erased.
 * room: the most bytes that an image may have there. capacity: size of the area in bytes, a
 * multiple of the erase unit. Returns 1, or 0 if there is nothing to resume. */
int upload_recover(upload *file, const uint8_t *base, uint32_t room, uint32_t capacity);

/* Writes the next chunk. Chunks must follow one another without gaps; `offset` is a multiple of 4,
 * and so is `count`, except in the last chunk. Ignores bytes that it has already received. Returns
 * 0 or a console_error. */
int upload_chunk(upload *file, uint32_t offset, const uint8_t *data, uint32_t count);

/* Abandons the transfer. Any further chunks are out of order. */
void upload_abandon(upload *file);

/* Ends the transfer. Returns 0, CONSOLE_ERR_OUT_OF_ORDER if bytes are missing, or
 * CONSOLE_ERR_FLASH. */
int upload_end(upload *file);

#endif
