/* The program that runs: how it begins, and what its end means for counters and schedule. */
#ifndef GM_PROGRAM_H
#define GM_PROGRAM_H

#include "gradmote.h"

/* Returns GM_OK where the session is open and no program runs. Otherwise it returns
 * GM_ERR_INVALID_ARGUMENT or GM_ERR_BUSY. */
int gm_idle(const gm_session *session);

/* Ends the running program and counts it. status: how it ended, which is returned. */
int gm_end_program(gm_session *session, int status);

#endif
