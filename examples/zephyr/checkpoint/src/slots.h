/* Keeps a checkpoint in flash. */
#ifndef SLOTS_H
#define SLOTS_H

#include "gradmote.h"

/* Saves into the half of the partition that does not have the current checkpoint, and then erases that one: one of them
 * is whole at any moment. Returns the codes of gm_checkpoint_save(). */
int slots_save(const gm_session *session);

/* Loads the whole checkpoint. Returns the codes of gm_checkpoint_load(); GM_ERR_BAD_MAGIC if there is none. */
int slots_load(gm_session *session);

#endif
