/*
 * Whether images that were sent must be signed, and by whom. firmware/signature/ is linked into firmware that is built with
 * a KEY, no_signature.c into any other.
 */
#ifndef SIGNATURE_H
#define SIGNATURE_H

#include <stdint.h>

#define SIGNATURE_KEY_ID_SIZE 8u

/* The key whose signatures count, SIGNATURE_KEY_ID_SIZE bytes; NULL where no image need be signed. */
const uint8_t *signature_key_id(void);

/* image: one that gm_required() takes, in `capacity` bytes. 0, a console_error, or GM_ERR_BAD_CRC for a damaged one. Takes
 * 0.1 to 3 s, without a look at the UART (docs/CONSOLE.md, "Watchdog"). */
int signature_check(const uint8_t *image, uint32_t capacity);

#endif
