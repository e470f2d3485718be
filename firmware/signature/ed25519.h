/* Signatures of RFC 8032. */
#ifndef ED25519_H
#define ED25519_H

#include <stdint.h>

#define ED25519_SIGNATURE_SIZE 64u
#define ED25519_KEY_SIZE 32u

/* Whether the signature of these bytes is by the owner of the public key. Its time depends on them:
 * none is secret. */
int ed25519_is_signed(const uint8_t signature[ED25519_SIGNATURE_SIZE], const uint8_t key[ED25519_KEY_SIZE],
                      const void *message, uint32_t size);

#endif
