/* The binary protocol. The functions of console_handlers.h handle the messages. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "device/device.h"

/* Answers the frame in d->receiver and releases it; for RUN, begins the program. */
void messages_handle(device *d);

/* Reports that a frame was dropped and the line is quiet, so that the host need not time out. */
void messages_report_damage(void);

/* Sends a sign of life about twice a second. Call this while the host waits for the end of a
 * program. */
void messages_report_alive(device *d);

/* Answers the message whose program has ended; SCORE may begin another one instead. error: 0 or a
 * gm_error. */
void messages_run_ended(device *d, int error);

/* For handlers that reply when their program ends. error: from beginning it. Returns HANDLER_LATER,
 * or the error. */
int messages_reply_at_end(device *d, int error);

#endif
