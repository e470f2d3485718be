/*
 * Checks the signatures of received images. Firmware that is built with a KEY links
 * firmware/signature/, and any other no_signature.c.
 */
#ifndef SIGNATURE_H
#define SIGNATURE_H

#include <stdint.h>

#define SIGNATURE_KEY_ID_SIZE 8u

/* 1: refuse images that are older than the one on the board (docs/SECURITY.md, "Older images").
 * This needs a key. */
#ifndef ROLLBACK_PROTECT
#define ROLLBACK_PROTECT 0
#endif

/* Returns the SIGNATURE_KEY_ID_SIZE bytes that identify the trusted key, or NULL if images need not
 * be signed. */
const uint8_t *signature_key_id(void);

/* Returns the size in bytes of a signature, which follows its image, or 0 if images need not be
 * signed. */
uint32_t signature_size(void);

/* Checks the signature of an image. Call this before anything else reads the image, whose bytes are
 * untrusted. image: `capacity` bytes, at an address divisible by 16. Returns 0 if the key signed
 * them, a console_error, or a gm_error if the bytes are not an image or damaged. Takes 0.1 to 3 s,
 * and does not read the UART meanwhile (docs/CONSOLE.md, "Watchdog"). */
int signature_check(const uint8_t *image, uint32_t capacity);

#endif
