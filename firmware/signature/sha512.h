/* SHA-512 (FIPS 180-4) of a message in parts. */
#ifndef SHA512_H
#define SHA512_H

#include <stdint.h>

#define SHA512_SIZE 64u
#define SHA512_BLOCK 128u

typedef struct sha512 {
    uint64_t state[8];
    uint64_t length; /* bytes so far; `block` holds those of the last, incomplete block */
    uint8_t block[SHA512_BLOCK];
} sha512;

void sha512_begin(sha512 *hash);
void sha512_add(sha512 *hash, const void *data, uint32_t size);
/* Ends the message and returns its digest. */
void sha512_end(sha512 *hash, uint8_t digest[SHA512_SIZE]);

#endif
