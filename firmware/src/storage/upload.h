/* A file that arrives in pieces and goes to flash. */
#ifndef UPLOAD_H
#define UPLOAD_H

#include <stdint.h>

/* Zero-initialise. */
typedef struct upload {
    const uint8_t *base; /* where the file lies, or NULL between transfers */
    uint32_t size;       /* bytes of the whole file */
    uint32_t received;   /* bytes so far */
    uint32_t crc;        /* CRC-32 of these */
} upload;

/* Each returns 0 or a console_error. base: in an erased area. capacity: bytes of it. */
int upload_begin(upload *file, const uint8_t *base, uint32_t capacity, uint32_t size);
/* Goes on with an image that broke off at a restart, from what the flash holds of it: whole erase units. What follows them
 * is erased, since power may have failed in it, and programmed 0xFF reads as erased. room: bytes that an image may take
 * there. capacity: those to be erased, whole erase units. 1, or 0 where there is nothing to go on with. */
int upload_recover(upload *file, const uint8_t *base, uint32_t room, uint32_t capacity);
/* Pieces without gaps, at multiples of 4 bytes; each but the last a multiple of 4. Bytes that came before are passed over. */
int upload_piece(upload *file, uint32_t offset, const uint8_t *data, uint32_t count);
/* Ends the transfer without the file; pieces that still come are out of order. */
void upload_abandon(upload *file);
/* Ends the transfer; CONSOLE_ERR_OUT_OF_ORDER where bytes are missing. */
int upload_end(upload *file);

#endif
