/* The checks that loading a checkpoint and carrying over share. */
#ifndef GM_CHECKPOINT_H
#define GM_CHECKPOINT_H

#include "gradmote.h"

/* Checks size, magic, version and checksum of a checkpoint of any model, and reads its header.
 * Returns GM_OK, GM_ERR_TRUNCATED, GM_ERR_IO, GM_ERR_BAD_MAGIC, GM_ERR_BAD_VERSION or
 * GM_ERR_BAD_CRC. */
int gm_check_any_checkpoint(gm_read_fn read, void *user, size_t size, gm_checkpoint *header);

#endif
