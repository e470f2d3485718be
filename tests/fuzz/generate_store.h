/* The sample store of a generated image: its record, and the tensors that it fills. */
#ifndef GENERATE_STORE_H
#define GENERATE_STORE_H

#include "draws.h"
#include "gradmote.h"

/* batch: samples that the input holds, or 0 if the image has no store. Offsets are the image's to find. */
typedef struct generated_store {
    gm_store record;
    uint32_t batch;
    uint32_t input, label; /* arena offsets */
} generated_store;

/* Draws one that takes at most `most` bytes of the state, or none. Its offsets are 0, and `aside` is GM_NONE if the
 * image keeps no place for a sample. */
void draw_store(draws *d, uint32_t most, generated_store *out);

/* Bytes of the state. */
uint32_t store_size(const gm_store *store);

/* Bytes of the inputs: the place for one sample, the input, the labels. */
/* The bytes of an element in the input that the store fills. */
uint32_t store_element_size(const gm_store *store);
uint32_t store_inputs_size(const generated_store *store);

/* Puts them there, from `inputs` on. */
void place_inputs(generated_store *store, uint32_t inputs);

/* One field of the record, or of its tensors (input and label, which has another after it), takes a value that does not
 * suit it, or that only just does. */
void distort_store(draws *d, const gm_header *header, gm_store *store, gm_tensor *tensor);

#endif
