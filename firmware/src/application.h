/*
 * What your own program adds to the firmware: a built-in model, console commands, and work in the
 * main loop. application.c adds nothing; a project replaces it with its own.
 */
#ifndef APPLICATION_H
#define APPLICATION_H

#include <stdint.h>

#include "console/text.h"
#include "gradmote.h"

#ifdef __cplusplus
extern "C" {
#endif

/* run: gets what was typed after the name, or "". Returns 0 or an error, which the console
 * prints. */
typedef struct application_command {
    const char *name;
    const char *help;
    int (*run)(const char *argument);
} application_command;

/* Each member may be 0. */
typedef struct application {
    const uint8_t *image;      /* the model to use until one is sent to the board; 16-byte aligned */
    uint32_t image_size;
    const application_command *commands;
    uint32_t command_count;
} application;

extern const application the_application;

/* Does the application's own work. The main loop calls it in each round, at least every 10 ms. It
 * must return soon. Returns 1 to be called again at once, or 0 if the board may sleep. */
int application_poll(void);

/* Gets the session of the open model, for calls to gradmote.h. Returns 0, GM_ERR_BUSY while the
 * console runs a program, or the reason that there is no model. */
int firmware_session(gm_session **out);

/* Gets the address and size in bytes of a whole input or label, with the index of gm_write(). The
 * console's commands then treat the tensor as written. Returns 0 or an error. */
int firmware_place(uint32_t role, uint32_t index, void **data, uint32_t *size);

#ifdef __cplusplus
}
#endif

#endif
