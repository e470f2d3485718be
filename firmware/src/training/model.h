/* The model, its session and its samples. */
#ifndef MODEL_H
#define MODEL_H

#include <stdint.h>

#include "gradmote.h"
#include "storage/images.h"
#include "storage/upload.h"
#include "training/samples.h"

/* Zero-initialise, then model_open(). */
typedef struct model {
    gm_session session;
    gm_requirements needs; /* zeros while closed */
    samples samples;
    upload upload;         /* of an image or a checkpoint */
    flash_span reading;    /* the kept checkpoint whose header READ has given last, or none */
    int status;            /* 0 while open, else the code that says why not */
} model;

/* Opens the image in the image area, or the application's where there is none; returns status. The model must be closed. */
int model_open(model *m);
/* Loads the checkpoint that flash has of the open model. Where it has none, carries over from that of the model before an
 * update, and keeps what comes of it; *carried: pieces. Returns 0, a gm_error or a console_error. */
int model_restore(model *m, uint32_t *carried);
/* 1 where the open image was sent, and its version is what tells this board that another one is older: it stays until an
 * update has taken its place. */
int model_is_pinned(const model *m);
void model_close(model *m);

/* Bytes of the open image; 0 while closed. */
uint32_t model_image_size(const model *m);

/* Bytes of the checkpoint of this model that is kept in flash; 0 where there is none, and while closed. */
uint32_t model_kept_size(const model *m);

int model_has(const model *m, uint32_t program);

/* Keeps a checkpoint in flash. A file that was being sent there is given up: its place may be written over. Returns 0, a
 * gm_error or a console_error. */
int model_save(model *m);

/* STEP, or TRAIN where the model has none. */
uint32_t model_training_program(const model *m);

#endif
