/* The floats that steps return. */
#ifndef RESULTS_H
#define RESULTS_H

#include "session.h"

/* Makes sure that a float is ready. Called before a program runs, so that nothing is allocated
 * after it. */
void prepare_result(session_obj *self);

/* Returns the prepared float, with a value. */
mp_obj_t give_result(session_obj *self, float value);

#endif
