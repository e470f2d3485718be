/* The state of the whole firmware: the model, the running program and who asked for it, and both
 * sides of the line. */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdint.h>

#include "console/frames.h"
#include "training/autosave.h"
#include "training/model.h"
#include "training/run.h"
#include "training/teach.h"

#define LINE_LIMIT 64u /* characters of a typed command, with its terminator */

/* Who is waiting for the end of the running program. */
enum requester { REQUESTER_NONE, REQUESTER_FRAME, REQUESTER_PERSON, REQUESTER_IDLE };

/* The last reply, to be resent if the host repeats its request. */
typedef struct reply {
    uint8_t type;     /* 0 before the first */
    uint8_t request;  /* type of the request */
    uint8_t sequence;
    uint32_t length;
    uint8_t payload[FRAME_LIMIT];
} reply;

/* The console user's side of the line. */
typedef struct console {
    uint32_t length;      /* characters of the line so far */
    char line[LINE_LIMIT];
    int line_ready;       /* 1: a complete line waits for the end of an idle training step */
    int goes_on; /* 1: a typed command begins its next program, or prints on, when nothing else wants to run */
    uint32_t steps_left; /* of a typed `train`, including the running one */
    uint32_t skipped; /* steps that were skipped so far, because they were not finite */
    int replays; /* 1: it trains on the store's samples */
    int scores; /* 1: a typed `score` is in progress */
    uint32_t kept; /* samples that it has inferred */
    uint32_t right; /* of them recognized */
    int exports; /* 1: a typed `export` is in progress */
    uint32_t exported; /* bytes that it has printed, */
    uint32_t model_size; /* of so many, */
    uint32_t crc; /* and their CRC-32 */
    uint32_t state_crc; /* of the state that it prints */
} console;

typedef struct device {
    model model;
    run run;
    enum requester requester;
    uint32_t last_input; /* board_ticks() at the last input */
    uint32_t last_alive; /* board_ticks() at the last sign of life */
    frame_receiver receiver;
    int frame_ready; /* 1: a complete frame waits for its answer */
    reply reply;
    console console;
    teach teach;
    autosave autosave;
} device;

#endif
