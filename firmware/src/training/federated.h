/*
 * Rounds of federated learning. The base of a round is in flash (slots.h), or consists of the
 * image's initial parameters. The delta to the next base waits in the programs' scratch memory
 * until it is complete. Then the next base is written to flash, once a round, and the parameters
 * change last.
 */
#ifndef FEDERATED_H
#define FEDERATED_H

#include <stdint.h>

#include "training/model.h"

/* The functions below return 0, a gm_error or a console_error. */

/* Fills in number and base of the current round, and zeros. */
int federated_round(const model *m, gm_federated_round *round);

/* Makes the current parameters the base of a round. number: of the round; 0 makes the image's
 * initial parameters the base. */
int federated_begin(model *m, uint32_t number);

/* Makes room for a delta of `size` bytes. */
int federated_expect(model *m, uint32_t size);

/* Takes the next chunk of the delta. Ignores bytes that it has already received. */
int federated_take(model *m, uint32_t offset, const uint8_t *data, uint32_t count);

/* Ends the round with the received delta. bits, seed: of the delta that the board sent itself, to
 * keep its quantization error; 0 bits keep nothing. *number: of the next round. An error leaves the
 * round and the parameters unchanged. */
int federated_end(model *m, uint32_t bits, uint32_t seed, uint32_t *number);

#endif
