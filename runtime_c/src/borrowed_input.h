/* Saves the input's first sample while a program runs on samples of the store. */
#ifndef GM_BORROWED_INPUT_H
#define GM_BORROWED_INPUT_H

#include "gradmote.h"

/* Saves the first sample of the input, if the image has room for it. The image must have a
 * store. */
void gm_borrow_input(gm_session *session);

/* Restores the first sample. session->borrowed must be 1. */
void gm_return_input(gm_session *session);

#endif
