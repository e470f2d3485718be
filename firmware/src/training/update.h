/*
 * Another image beside the one that runs, and the switch to it.
 *
 * The old model stays open, and may run, until the new image is verified and the old state kept. Then one record of flash
 * is programmed (images.h): before it is complete a restart finds the old model, afterwards the new one, which takes the
 * old checkpoint's place only once it has one of its own.
 */
#ifndef UPDATE_H
#define UPDATE_H

#include <stdint.h>

#include "training/model.h"

/* The functions below return 0, a gm_error or a console_error. */

/* Makes room for an image of so many bytes, whose pieces then go to m->upload. */
int update_begin(model *m, uint32_t size);

/* Goes on with an image that broke off, from what flash has of it. 1: m->upload is that of an update. */
int update_resume(model *m);

/* Verifies the image that was received and puts it in force; an error leaves the old model open. carry: 0 or 1.
 * Then the new model is to be opened. */
int update_switch(model *m, uint32_t carry);

#endif
