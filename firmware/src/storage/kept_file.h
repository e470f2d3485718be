/* Checkpoint files as storage has them, which anyone at the line may have written. */
#ifndef KEPT_FILE_H
#define KEPT_FILE_H

#include <stdint.h>

#include "gradmote.h"

/* Whether a file of this model that is `size` bytes long begins there, by its header: then its state, where that is plain,
 * is a multiple of 4 bytes from `file` and ends with it. What the bytes are, gm_checkpoint_check() tells. file: a multiple
 * of 4, with as many bytes behind it. */
int kept_file_fits(const gm_session *session, const uint8_t *file, uint32_t size);

/* Whether the state of such a file is as it is in memory, and not packed. */
int kept_file_is_plain(const uint8_t *file);

#endif
