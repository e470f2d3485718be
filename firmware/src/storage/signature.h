/*
 * Whether images that were sent must be signed, and by whom. firmware/signature/ is linked into
 * firmware that is built with a KEY, no_signature.c into any other.
 */
#ifndef SIGNATURE_H
#define SIGNATURE_H

#include <stdint.h>

#define SIGNATURE_KEY_ID_SIZE 8u

/* 1: images that are older than the one on the board are refused (docs/SECURITY.md, "Older
 * images"). This needs a key. */
#ifndef ROLLBACK_PROTECT
#define ROLLBACK_PROTECT 0
#endif

/* Returns the SIGNATURE_KEY_ID_SIZE bytes that name the key whose signatures count; NULL if no
 * image need be signed. */
const uint8_t *signature_key_id(void);

/* Returns the bytes that a signature takes behind its image; 0 if no image need be signed. */
uint32_t signature_size(void);

/* Checks the signature of an image. Must be called before anything else reads the image, whose
 * bytes may be anything. image: `capacity` bytes, at an address divisible by 16. Returns 0 if the
 * key signed them, a console_error, or the gm_error of bytes that are no image or damaged. Takes
 * 0.1 to 3 s, in which the UART is not read (docs/CONSOLE.md, "Watchdog"). */
int signature_check(const uint8_t *image, uint32_t capacity);

#endif
