/*
 * Receives a new image while the old one runs, and switches to it.
 *
 * The old model stays open, and may run, until the new image is verified and the old state saved.
 * Then one record is programmed to flash (images.h). A restart finds the old model until the record
 * is complete, and the new one afterwards. The old checkpoint is overwritten only when the new
 * model has its own.
 */
#ifndef UPDATE_H
#define UPDATE_H

#include <stdint.h>

#include "training/model.h"

/* The functions below return 0, a gm_error or a console_error. */

/* Makes room for an image of `size` bytes. Its chunks then go to m->upload. */
int update_begin(model *m, uint32_t size);

/* Resumes an interrupted transfer of an image, with the part that flash has of it. Returns 1 if
 * m->upload is that of an update. */
int update_resume(model *m);

/* Verifies the received image and puts it into force; open the new model afterwards. carry: 1 keeps
 * the old state to be carried over. An error leaves the old model open and active. */
int update_switch(model *m, uint32_t carry);

#endif
