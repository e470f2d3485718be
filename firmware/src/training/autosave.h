/* Keeps a checkpoint in flash after every so many updates. How many is a property of the state, so it comes back with a
 * checkpoint after a restart. */
#ifndef AUTOSAVE_H
#define AUTOSAVE_H

#include <stdint.h>

#include "training/model.h"

/* Returned where a checkpoint was kept. */
#define AUTOSAVE_KEPT 1

/* Zero-initialise. */
typedef struct autosave {
    uint32_t saves; /* since the model was opened */
    int error;      /* why the last one failed, or 0 */
} autosave;

/* Updates from one checkpoint to the next; 0: none is kept without being asked for. */
uint32_t autosave_every(const model *m);

/* every: 0 to 2^31 - 1. Returns 0, CONSOLE_ERR_BAD_ARGUMENT, CONSOLE_ERR_TOO_LARGE where flash has no room for two
 * checkpoints, GM_ERR_FULL without a free property, or why there is no model. */
int autosave_set(model *m, uint32_t every);

/* After each update: keeps a checkpoint where optimizer_steps is a multiple. Returns AUTOSAVE_KEPT, 0, or an error that the
 * save before did not have. */
int autosave_updated(autosave *a, model *m);

#endif
