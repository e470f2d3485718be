/* Saves a checkpoint in flash after every N updates. N is a property of the state, so loading a
 * checkpoint after a restart restores it. */
#ifndef AUTOSAVE_H
#define AUTOSAVE_H

#include <stdint.h>

#include "training/model.h"

/* Returned if a checkpoint was saved. */
#define AUTOSAVE_KEPT 1

/* Zero-initialize. */
typedef struct autosave {
    uint32_t saves; /* since the model was opened */
    int error;      /* why the last one failed, or 0 */
} autosave;

/* Returns the number of updates between checkpoints, or 0 if autosave is off. */
uint32_t autosave_every(const model *m);

/* Sets the number of updates between checkpoints, 0 to 2^31 - 1. Returns 0,
 * CONSOLE_ERR_BAD_ARGUMENT, CONSOLE_ERR_TOO_LARGE if flash has no room for two checkpoints,
 * GM_ERR_FULL if no property is free, or the reason that there is no model. */
int autosave_set(model *m, uint32_t every);

/* Saves a checkpoint if one is due. Call this after each update. Returns AUTOSAVE_KEPT, 0, or an
 * error. Reports an error only once: 0 while saves go on failing in the same way. */
int autosave_updated(autosave *a, model *m);

#endif
