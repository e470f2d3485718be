/*
 * Rounds of federated learning. The base of a round lies in flash (slots.h), or is what the image
 * begins with. The delta that leads to the next base waits in the memory of programs until it is
 * whole; then the next base is written to flash, once a round, and the parameters change last.
 */
#ifndef FEDERATED_H
#define FEDERATED_H

#include <stdint.h>

#include "training/model.h"

/* The functions below return 0, a gm_error or a console_error. */

/* Fills in number and base of the round that the model is in, and zeros. */
int federated_round(const model *m, gm_federated_round *round);

/* Makes the parameters the base of a round. number: 0 makes the image's initial ones the base. */
int federated_begin(model *m, uint32_t number);

/* Makes room for a delta of `size` bytes. */
int federated_expect(model *m, uint32_t size);

/* Takes the next chunk of the delta. Bytes that came before are ignored. */
int federated_take(model *m, uint32_t offset, const uint8_t *data, uint32_t count);

/* Ends the round with the delta that was taken. bits, seed: of the delta that the board itself sent,
 * to keep what quantization lost; 0 bits keep nothing. *number: of the next round. An error leaves
 * the round and the parameters as they are. */
int federated_end(model *m, uint32_t bits, uint32_t seed, uint32_t *number);

#endif
