/* All samples in their order, batch by batch; the last batch is filled up with its own samples again. */
#ifndef BATCHES_H
#define BATCHES_H

#include "dataset.h"

/* rows: `batch` numbers of samples. Returns how many of them count; 0 where `first` is past the last sample. */
uint32_t batches_next(const dataset *d, uint32_t first, uint32_t *rows);

#endif
