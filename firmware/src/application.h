/*
 * The additions of a program of your own to the firmware: a model that it is built with, commands
 * for the console, and work of its main loop. application.c adds nothing; a project replaces it by
 * its own.
 */
#ifndef APPLICATION_H
#define APPLICATION_H

#include <stdint.h>

#include "console/text.h"
#include "gradmote.h"

#ifdef __cplusplus
extern "C" {
#endif

/* run: gets what was typed after the name ("" if nothing was), and returns 0 or an error, which is
 * then printed. */
typedef struct application_command {
    const char *name;
    const char *help;
    int (*run)(const char *argument);
} application_command;

/* Each member may be 0. */
typedef struct application {
    const uint8_t *image;      /* the model until one is sent to the board; 16-byte aligned */
    uint32_t image_size;
    const application_command *commands;
    uint32_t command_count;
} application;

extern const application the_application;

/* Does the application's own work. Called in each round of the main loop, every 10 ms or more
 * often, and must return soon. Returns 1 to be called again at once, or 0 if the board may
 * sleep. */
int application_poll(void);

/* Gives the session of the open model, for calls of gradmote.h. Returns 0, GM_ERR_BUSY while the
 * console runs a program, or why there is no model. */
int firmware_session(gm_session **out);

/* Gives the address and the bytes of a whole input or label, counted as gm_write() does. The tensor
 * then counts as written for the console's commands. Returns 0 or an error. */
int firmware_place(uint32_t role, uint32_t index, void **data, uint32_t *size);

#ifdef __cplusplus
}
#endif

#endif
