/* The verifier of the sample store. */
#ifndef GM_VERIFY_STORE_H
#define GM_VERIFY_STORE_H

#include "gradmote.h"

/* Returns how many bytes of the state the store takes: a counter, the class records, labels, scales
 * of INT8 samples, and samples. The result is exact up to SIZE_LIMIT; for a larger store it exceeds
 * SIZE_LIMIT. */
uint64_t gm_store_size(const gm_store *store);

/* Verifies the store of an image whose tensors and regions are verified. Returns GM_OK,
 * GM_ERR_BAD_STORE, GM_ERR_TOO_MUCH_WORK, or GM_ERR_BAD_OPCODE in a build without the store. */
int gm_verify_store(const gm_header *header);

#endif
