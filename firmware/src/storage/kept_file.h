/* Checkpoint files in storage, which anyone with access to the line may have written. */
#ifndef KEPT_FILE_H
#define KEPT_FILE_H

#include <stdint.h>

#include "gradmote.h"

/* Returns whether a checkpoint of this model, `size` bytes long, begins at `file`, judging by its
 * header. If its state is plain, it is at the end of the file, a multiple of 4 bytes from its
 * start. gm_checkpoint_check() checks the bytes themselves. file: an address divisible by 4, with
 * at least `size` bytes to read. */
int kept_file_fits(const gm_session *session, const uint8_t *file, uint32_t size);

/* Returns whether the state in such a file has the same form as in memory, and is not packed. */
int kept_file_is_plain(const uint8_t *file);

#endif
