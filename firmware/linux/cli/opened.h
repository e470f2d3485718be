/* A model from its file, in an arena of just the bytes that it and its threads require. */
#ifndef OPENED_H
#define OPENED_H

#include "files.h"
#include "gradmote.h"
#include "training/samples.h"

typedef struct opened {
    const char *path;
    gm_session session;
    gm_requirements needs;
    samples samples; /* which inputs and labels were written */
} opened;

/* All of these end the program where something is wrong. */

/* threads: 1 to 16 that share the work of large instructions; the bits are the same. */
void opened_model(opened *m, const char *path, uint32_t threads);
void opened_load(opened *m, const char *checkpoint);
/* Saves the checkpoint. Where it cannot be written to its place, it is kept in a temporary folder,
 * and the program ends all the same. */
void opened_save(const opened *m, const char *checkpoint);
/* A save on the way: where it fails, that is told, and the checkpoint before stays. */
void opened_try_save(const opened *m, const char *checkpoint);
/* Runs a program to its end. */
void opened_run(opened *m, uint32_t program);
/* The same; returns the error instead of ending the program. */
int opened_try_run(opened *m, uint32_t program);
/* Returns the loss of the EVAL, TRAIN or STEP that ran last. */
float opened_loss(const opened *m, uint32_t program);

int opened_has(const opened *m, uint32_t program);

extern const char *const opened_programs[GM_PROGRAM_COUNT]; /* their names */
extern const char *const opened_dtypes[GM_DTYPE_COUNT];     /* numpy's names of them */

#endif
