#include "ed25519.h"

#include "monocypher.h"
#include "sha512.h"

/* k = SHA-512(R || A || message) mod L (RFC 8032, 5.1.7), with the first half of the signature as R
 * and the key as A. A separate function, so that its stack is free again when the curve needs
 * stack. */
__attribute__((noinline)) static void challenge(uint8_t k[32], const uint8_t r[32], const uint8_t a[32],
                                                const void *message, uint32_t size)
{
    sha512 hash;
    uint8_t digest[SHA512_SIZE];
    sha512_begin(&hash);
    sha512_add(&hash, r, 32);
    sha512_add(&hash, a, 32);
    sha512_add(&hash, message, size);
    sha512_end(&hash, digest);
    crypto_eddsa_reduce(k, digest);
}

int ed25519_is_signed(const uint8_t signature[ED25519_SIGNATURE_SIZE], const uint8_t key[ED25519_KEY_SIZE],
                      const void *message, uint32_t size)
{
    uint8_t k[32];
    challenge(k, signature, key, message, size);
    return crypto_eddsa_check_equation(signature, key, k) == 0;
}
