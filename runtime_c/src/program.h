/* The running program: how it begins, and what its end does to counters and schedule. */
#ifndef GM_PROGRAM_H
#define GM_PROGRAM_H

#include "gradmote.h"

/* Returns GM_OK if the session is open and no program runs, else GM_ERR_INVALID_ARGUMENT or
 * GM_ERR_BUSY. */
int gm_idle(const gm_session *session);

/* Ends the running program and counts it. status: how it ended. Returns status. */
int gm_end_program(gm_session *session, int status);

#endif
