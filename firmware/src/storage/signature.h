/*
 * Whether images that were sent must be signed, and by whom. firmware/signature/ is linked into firmware that is built with
 * a KEY, no_signature.c into any other.
 */
#ifndef SIGNATURE_H
#define SIGNATURE_H

#include <stdint.h>

#define SIGNATURE_KEY_ID_SIZE 8u

/* 1: images that are older than the one on the board are refused (docs/SECURITY.md, "Older images"). Only with a key. */
#ifndef ROLLBACK_PROTECT
#define ROLLBACK_PROTECT 0
#endif

/* The key whose signatures count, SIGNATURE_KEY_ID_SIZE bytes; NULL where no image need be signed. */
const uint8_t *signature_key_id(void);

/* Bytes that an image needs behind it, for its signature; 0 where none need be signed. */
uint32_t signature_size(void);

/* To be called before anything else reads the image. image: any bytes, `capacity` of them, at a multiple of 16. 0 where the
 * key signed them; a console_error, or the gm_error of what is no image or damaged. Takes 0.1 to 3 s, without a look at the UART (docs/CONSOLE.md, "Watchdog"). */
int signature_check(const uint8_t *image, uint32_t capacity);

#endif
