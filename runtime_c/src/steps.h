/* Whole programs in one call. */
#ifndef GM_STEPS_H
#define GM_STEPS_H

#include "gradmote.h"

/* Runs the program that was begun to its end, and returns what gm_run() returns last. */
int gm_run_to_end(gm_session *session);

#endif
