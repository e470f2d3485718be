/* SHA-512 (FIPS 180-4) of bytes that come in parts. */
#ifndef SHA512_H
#define SHA512_H

#include <stdint.h>

#define SHA512_SIZE 64u
#define SHA512_BLOCK 128u

typedef struct sha512 {
    uint64_t state[8];
    uint64_t length; /* bytes so far; those of the last, incomplete block are in `block` */
    uint8_t block[SHA512_BLOCK];
} sha512;

void sha512_begin(sha512 *hash);
void sha512_add(sha512 *hash, const void *data, uint32_t size);
/* Ends the message. */
void sha512_end(sha512 *hash, uint8_t digest[SHA512_SIZE]);

#endif
