/* A model from its file, in an arena of exactly the bytes that it and its threads need. */
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

/* All of these exit if something is wrong. */

/* threads: 1 to 16, which share the work of large instructions; the bits are the same. */
void opened_model(opened *m, const char *path, uint32_t threads);
void opened_load(opened *m, const char *checkpoint);
/* Saves the checkpoint. If it cannot be written there, it goes to a temporary folder, and the
 * program still exits. */
void opened_save(const opened *m, const char *checkpoint);
/* Saves during training: if this fails, reports it, and keeps the previous checkpoint. */
void opened_try_save(const opened *m, const char *checkpoint);
/* Runs a program to its end. */
void opened_run(opened *m, uint32_t program);
/* As opened_run(), but returns the error instead of exiting. */
int opened_try_run(opened *m, uint32_t program);
/* Returns the loss of the last EVAL, TRAIN or STEP. */
float opened_loss(const opened *m, uint32_t program);

int opened_has(const opened *m, uint32_t program);

extern const char *const opened_programs[GM_PROGRAM_COUNT]; /* their names */
extern const char *const opened_dtypes[GM_DTYPE_COUNT];     /* their names in numpy */

#endif
