#include "sha512.h"

#include <string.h>

#define ROUNDS 80u

/* Fractions of the cube roots of the first 80 primes. */
static const uint64_t constants[ROUNDS] = {
    0x428a2f98d728ae22u, 0x7137449123ef65cdu, 0xb5c0fbcfec4d3b2fu, 0xe9b5dba58189dbbcu, 0x3956c25bf348b538u,
    0x59f111f1b605d019u, 0x923f82a4af194f9bu, 0xab1c5ed5da6d8118u, 0xd807aa98a3030242u, 0x12835b0145706fbeu,
    0x243185be4ee4b28cu, 0x550c7dc3d5ffb4e2u, 0x72be5d74f27b896fu, 0x80deb1fe3b1696b1u, 0x9bdc06a725c71235u,
    0xc19bf174cf692694u, 0xe49b69c19ef14ad2u, 0xefbe4786384f25e3u, 0x0fc19dc68b8cd5b5u, 0x240ca1cc77ac9c65u,
    0x2de92c6f592b0275u, 0x4a7484aa6ea6e483u, 0x5cb0a9dcbd41fbd4u, 0x76f988da831153b5u, 0x983e5152ee66dfabu,
    0xa831c66d2db43210u, 0xb00327c898fb213fu, 0xbf597fc7beef0ee4u, 0xc6e00bf33da88fc2u, 0xd5a79147930aa725u,
    0x06ca6351e003826fu, 0x142929670a0e6e70u, 0x27b70a8546d22ffcu, 0x2e1b21385c26c926u, 0x4d2c6dfc5ac42aedu,
    0x53380d139d95b3dfu, 0x650a73548baf63deu, 0x766a0abb3c77b2a8u, 0x81c2c92e47edaee6u, 0x92722c851482353bu,
    0xa2bfe8a14cf10364u, 0xa81a664bbc423001u, 0xc24b8b70d0f89791u, 0xc76c51a30654be30u, 0xd192e819d6ef5218u,
    0xd69906245565a910u, 0xf40e35855771202au, 0x106aa07032bbd1b8u, 0x19a4c116b8d2d0c8u, 0x1e376c085141ab53u,
    0x2748774cdf8eeb99u, 0x34b0bcb5e19b48a8u, 0x391c0cb3c5c95a63u, 0x4ed8aa4ae3418acbu, 0x5b9cca4f7763e373u,
    0x682e6ff3d6b2b8a3u, 0x748f82ee5defb2fcu, 0x78a5636f43172f60u, 0x84c87814a1f0ab72u, 0x8cc702081a6439ecu,
    0x90befffa23631e28u, 0xa4506cebde82bde9u, 0xbef9a3f7b2c67915u, 0xc67178f2e372532bu, 0xca273eceea26619cu,
    0xd186b8c721c0c207u, 0xeada7dd6cde0eb1eu, 0xf57d4f7fee6ed178u, 0x06f067aa72176fbau, 0x0a637dc5a2c898a6u,
    0x113f9804bef90daeu, 0x1b710b35131c471bu, 0x28db77f523047d84u, 0x32caab7b40c72493u, 0x3c9ebe0a15c9bebcu,
    0x431d67c49c100d4cu, 0x4cc5d4becb3e42b6u, 0x597f299cfc657e2au, 0x5fcb6fab3ad6faecu, 0x6c44198c4a475817u,
};

static uint64_t rotated(uint64_t x, uint32_t right)
{
    return x >> right | x << (64 - right);
}

static uint64_t load_u64(const uint8_t *at)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < 8; ++i) {
        value = value << 8 | at[i];
    }
    return value;
}

static void store_u64(uint8_t *at, uint64_t value)
{
    for (uint32_t i = 0; i < 8; ++i) {
        at[i] = (uint8_t)(value >> (56 - 8 * i));
    }
}

/* Returns W(t) of the message schedule. w: the last 16 of them. */
static uint64_t scheduled(uint64_t w[16], uint32_t t)
{
    if (t >= 16) {
        uint64_t w2 = w[(t - 2) % 16], w15 = w[(t - 15) % 16];
        w[t % 16] += (rotated(w2, 19) ^ rotated(w2, 61) ^ w2 >> 6) + w[(t - 7) % 16] +
                     (rotated(w15, 1) ^ rotated(w15, 8) ^ w15 >> 7);
    }
    return w[t % 16];
}

/* Round t. Instead of moving a to h, their start moves: a is s[(0 - t) % 8]. */
static void do_round(uint64_t s[8], uint32_t t, uint64_t w)
{
    uint64_t a = s[(0 - t) % 8], b = s[(1 - t) % 8], c = s[(2 - t) % 8];
    uint64_t e = s[(4 - t) % 8], f = s[(5 - t) % 8], g = s[(6 - t) % 8];
    uint64_t *h = &s[(7 - t) % 8];
    uint64_t t1 = *h + (rotated(e, 14) ^ rotated(e, 18) ^ rotated(e, 41)) + ((e & f) ^ (~e & g)) + constants[t] + w;
    s[(3 - t) % 8] += t1;
    *h = t1 + (rotated(a, 28) ^ rotated(a, 34) ^ rotated(a, 39)) + ((a & b) ^ (a & c) ^ (b & c));
}

static void take_block(sha512 *hash)
{
    uint64_t s[8], w[16];
    memcpy(s, hash->state, sizeof s);
    for (uint32_t i = 0; i < 16; ++i) {
        w[i] = load_u64(hash->block + 8 * i);
    }
    for (uint32_t t = 0; t < ROUNDS; ++t) {
        do_round(s, t, scheduled(w, t));
    }
    for (uint32_t i = 0; i < 8; ++i) {
        hash->state[i] += s[i];
    }
}

void sha512_begin(sha512 *hash)
{
    /* Fractions of the square roots of the first 8 primes. */
    static const uint64_t initial[8] = {
        0x6a09e667f3bcc908u, 0xbb67ae8584caa73bu, 0x3c6ef372fe94f82bu, 0xa54ff53a5f1d36f1u,
        0x510e527fade682d1u, 0x9b05688c2b3e6c1fu, 0x1f83d9abfb41bd6bu, 0x5be0cd19137e2179u,
    };
    memcpy(hash->state, initial, sizeof initial);
    hash->length = 0;
}

void sha512_add(sha512 *hash, const void *data, uint32_t size)
{
    const uint8_t *from = data;
    while (size > 0) {
        uint32_t filled = (uint32_t)(hash->length % SHA512_BLOCK);
        uint32_t room = SHA512_BLOCK - filled;
        uint32_t count = size < room ? size : room;
        memcpy(hash->block + filled, from, count);
        hash->length += count;
        from += count;
        size -= count;
        if (count == room) {
            take_block(hash);
        }
    }
}

void sha512_end(sha512 *hash, uint8_t digest[SHA512_SIZE])
{
    static const uint8_t padding[SHA512_BLOCK] = {0x80};
    uint8_t bits[16] = {0};
    store_u64(bits + 8, hash->length * 8);
    uint32_t filled = (uint32_t)(hash->length % SHA512_BLOCK);
    uint32_t end = SHA512_BLOCK - (uint32_t)sizeof bits;
    sha512_add(hash, padding, filled < end ? end - filled : end + SHA512_BLOCK - filled);
    sha512_add(hash, bits, sizeof bits);
    for (uint32_t i = 0; i < 8; ++i) {
        store_u64(digest + 8 * i, hash->state[i]);
    }
}
