/* The names of parameters. */
#ifndef PARAMETERS_H
#define PARAMETERS_H

#include "session.h"

/* Returns the name of the index-th parameter as text: its index if the image has no names. */
mp_obj_t parameter_name(const gm_view *view, uint32_t index);

#endif
