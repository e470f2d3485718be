/* Ed25519 signatures (RFC 8032). */
#ifndef ED25519_H
#define ED25519_H

#include <stdint.h>

#define ED25519_SIGNATURE_SIZE 64u
#define ED25519_KEY_SIZE 32u

/* Returns whether the signature of these bytes was made with the private key of this public key.
 * The time depends on the arguments, which are not secret. */
int ed25519_is_signed(const uint8_t signature[ED25519_SIGNATURE_SIZE], const uint8_t key[ED25519_KEY_SIZE],
                      const void *message, uint32_t size);

#endif
