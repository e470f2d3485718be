/* All samples in order, batch by batch; the last batch is padded with its own samples. */
#ifndef BATCHES_H
#define BATCHES_H

#include "dataset.h"

/* rows: receives `batch` sample numbers. Returns how many of them count, or 0 if `first` is past
 * the last sample. */
uint32_t batches_next(const dataset *d, uint32_t first, uint32_t *rows);

#endif
