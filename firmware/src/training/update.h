/*
 * Another image beside the one that runs, and the switch to it.
 *
 * The old model stays open, and may run, until the new image is verified and the old state kept.
 * Then one record of flash is programmed (images.h). Before the record is complete a restart finds
 * the old model, afterwards the new one. The old checkpoint is overwritten only once the new model
 * has one of its own.
 */
#ifndef UPDATE_H
#define UPDATE_H

#include <stdint.h>

#include "training/model.h"

/* The functions below return 0, a gm_error or a console_error. */

/* Makes room for an image of `size` bytes, whose chunks then go to m->upload. */
int update_begin(model *m, uint32_t size);

/* Resumes the transfer of an image that broke off, with what flash has of it. Returns 1 if
 * m->upload is that of an update. */
int update_resume(model *m);

/* Verifies the image that was received and puts it in force; then the new model is to be opened.
 * carry: 1 keeps the old state to be carried over. An error leaves the old model open and in
 * force. */
int update_switch(model *m, uint32_t carry);

#endif
