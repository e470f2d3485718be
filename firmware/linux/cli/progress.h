/* A line on stderr that tells how far what takes long has come, where a person watches. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdint.h>

typedef struct progress {
    const char *what;
    uint64_t total;
    double start;
    double shown; /* when it was last drawn; 0: never */
} progress;

/* Seconds of a clock that only rises. */
double progress_clock(void);

progress progress_begin(const char *what, uint64_t total);
/* note: what follows the count, such as a loss. */
void progress_update(progress *p, uint64_t done, const char *note);
/* Wipes the line. */
void progress_end(progress *p);

#endif
