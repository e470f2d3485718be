#include "storage/signature.h"

#include <stddef.h>
#include <string.h>

#include "console_spec.h"
#include "ed25519.h"
#include "gradmote.h"

/* SIGNATURE_KEY: the key's bytes, from the build. */
static const uint8_t the_key[ED25519_KEY_SIZE] = {SIGNATURE_KEY};

const uint8_t *signature_key_id(void)
{
    return the_key;
}

uint32_t signature_size(void)
{
    return sizeof(gm_signature);
}

/* Reads the end of the image from its header, the only part that is used before the signature is
 * verified. */
static int find_end(const gm_header *header, uint32_t capacity)
{
    if (capacity < sizeof *header) {
        return GM_ERR_TRUNCATED;
    }
    if (header->magic != GM_IMAGE_MAGIC) {
        return GM_ERR_BAD_MAGIC;
    }
    return header->size < sizeof *header || header->size > capacity ? GM_ERR_TRUNCATED : GM_OK;
}

static int is_damaged(const gm_header *header)
{
    const uint32_t start = offsetof(gm_header, crc) + sizeof header->crc;
    return gm_crc32(0, (const uint8_t *)header + start, header->size - start) != header->crc;
}

int signature_check(const uint8_t *image, uint32_t capacity)
{
    const gm_header *header = (const void *)image;
    gm_signature found;
    int error = find_end(header, capacity);
    if (error) {
        return error;
    }
    if (is_damaged(header)) {
        return GM_ERR_BAD_CRC;
    }
    if (capacity - header->size < sizeof found) {
        return CONSOLE_ERR_UNSIGNED;
    }
    memcpy(&found, image + header->size, sizeof found);
    if (found.magic != GM_SIGNATURE_MAGIC || found.version != GM_SIGNATURE_VERSION) {
        return CONSOLE_ERR_UNSIGNED;
    }
    if (memcmp(found.key_id, the_key, sizeof found.key_id) != 0) {
        return CONSOLE_ERR_OTHER_KEY;
    }
    return ed25519_is_signed((const void *)found.bytes, the_key, image, header->size) ? 0 : CONSOLE_ERR_BAD_SIGNATURE;
}
