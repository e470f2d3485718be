/* Keeps a checkpoint in flash after every so many updates. Their number is a property of the state,
 * so it comes back with a checkpoint after a restart. */
#ifndef AUTOSAVE_H
#define AUTOSAVE_H

#include <stdint.h>

#include "training/model.h"

/* Returned if a checkpoint was kept. */
#define AUTOSAVE_KEPT 1

/* Zero-initialise. */
typedef struct autosave {
    uint32_t saves; /* since the model was opened */
    int error;      /* why the last one failed, or 0 */
} autosave;

/* Returns the updates from one checkpoint to the next; 0 if none is kept without a request. */
uint32_t autosave_every(const model *m);

/* Sets the updates from one checkpoint to the next, 0 to 2^31 - 1. Returns 0,
 * CONSOLE_ERR_BAD_ARGUMENT, CONSOLE_ERR_TOO_LARGE if flash has no room for two checkpoints,
 * GM_ERR_FULL if no property is free, or why there is no model. */
int autosave_set(model *m, uint32_t every);

/* Keeps a checkpoint if one is due; to be called after each update. Returns AUTOSAVE_KEPT, 0, or an
 * error, once: 0 while saves go on failing in the same way. */
int autosave_updated(autosave *a, model *m);

#endif
