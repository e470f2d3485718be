/* The schedule of the learning rate. */
#ifndef GM_SCHEDULE_H
#define GM_SCHEDULE_H

#include "gradmote.h"

/* Sets the learning rate for update number optimizer_steps, if there is a schedule. */
void gm_advance_schedule(gm_control *control);

#endif
