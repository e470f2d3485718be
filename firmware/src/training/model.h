/* The model, its session and its samples. */
#ifndef MODEL_H
#define MODEL_H

#include <stdint.h>

#include "gradmote.h"
#include "storage/images.h"
#include "storage/upload.h"
#include "training/samples.h"

/* Zero-initialize, then call model_open(). */
typedef struct model {
    gm_session session;
    gm_requirements needs; /* zeros while closed */
    flash_span export_table; /* after the open image, or none; only its header's size has been checked */
    samples samples;
    upload upload;         /* of an image or a checkpoint */
    flash_span reading;    /* the kept checkpoint whose header READ last sent, or none */
    uint32_t delta_size;   /* bytes of the delta that ends a round of federated learning; 0: none is expected */
    uint32_t delta_received;
    int status;            /* 0 while open, else the reason that it is not */
} model;

/* Opens the image in the image area or, if there is none, that of the application. The model must
 * be closed. Returns status. */
int model_open(model *m);

/* Loads the checkpoint of the open model from flash. If there is none, carries over the state of
 * the model before an update, and saves the result; *carried is the number of entries that were
 * carried over. Returns 0, a gm_error or a console_error. */
int model_restore(model *m, uint32_t *carried);

/* Returns 1 if the open image was sent and the board needs its version to recognize older images.
 * Such an image stays until an update replaces it. */
int model_is_pinned(const model *m);

/* Closes the model, if it is open. */
void model_close(model *m);

/* Returns the size of the open image in bytes, or 0 while closed. */
uint32_t model_image_size(const model *m);

/* Returns the bytes from the start of the open image to the end of what belongs to it: its signature
 * and its export table. */
uint32_t model_flash_size(const model *m);

/* Returns the size in bytes of this model's checkpoint in flash, or 0 if there is none or the model
 * is closed. */
uint32_t model_kept_size(const model *m);

/* Returns whether the model has a program. */
int model_has(const model *m, uint32_t program);

/* Saves a checkpoint in flash. Abandons any file transfer to that area, since the checkpoint may
 * overwrite it. Returns 0, a gm_error or a console_error. */
int model_save(model *m);

/* Returns STEP, or TRAIN if the model has none. */
uint32_t model_training_program(const model *m);

#endif
