/*
 * What a program of your own adds to the firmware: a model that it is built with, commands for the console, and work
 * of its main loop. application.c adds nothing; a project brings another in its place.
 */
#ifndef APPLICATION_H
#define APPLICATION_H

#include <stdint.h>

#include "console/text.h"
#include "gradmote.h"

#ifdef __cplusplus
extern "C" {
#endif

/* run: gets what was typed after the name, "" where that was nothing; returns 0 or an error, which is then printed. */
typedef struct application_command {
    const char *name;
    const char *help;
    int (*run)(const char *argument);
} application_command;

/* Each may be 0. */
typedef struct application {
    const uint8_t *image;      /* the model until one is sent to the board; 16-byte aligned */
    uint32_t image_size;
    const application_command *commands;
    uint32_t command_count;
} application;

extern const application the_application;

/* Called in each round of the main loop, every 10 ms or more often; must return soon: 1 to be called again at once, 0 where
 * the board may sleep. */
int application_poll(void);

/* The open model, for calls of gradmote.h. Returns 0, GM_ERR_BUSY while the console runs it, or why there is none. */
int firmware_session(gm_session **out);

/* Where a whole input or label goes, counted as gm_write() does, and its bytes. The console's commands then take it for
 * written. Returns 0 or an error. */
int firmware_place(uint32_t role, uint32_t index, void **data, uint32_t *size);

#ifdef __cplusplus
}
#endif

#endif
