/* The binary protocol. The functions of console_handlers.h handle the messages. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "device/device.h"

/* Answers the frame in d->receiver and releases it; for RUN, begins the program. */
void messages_handle(device *d);

/* Tells the host that a frame was dropped and the line is quiet, so that it need not wait for a timeout. */
void messages_report_damage(void);

/* While the host waits for a program's end: tells so, about twice a second. */
void messages_report_alive(device *d);

/* Answers RUN, REPLAY or SCORE once its program has ended; SCORE may begin another. error: 0 or a gm_error. */
void messages_run_ended(device *d, int error);

/* For a handler whose reply follows when the program ends that it began without `error`. Returns HANDLER_LATER, or the
 * error. */
int messages_reply_at_end(device *d, int error);

#endif
