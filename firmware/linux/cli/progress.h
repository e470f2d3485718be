/* A progress line on stderr for long operations, if that is a terminal. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdint.h>

typedef struct progress {
    const char *what;
    uint64_t total;
    double start;
    double shown; /* when it was last drawn; 0: not yet */
} progress;

/* Returns the seconds of a monotonic clock. */
double progress_clock(void);

progress progress_begin(const char *what, uint64_t total);
/* note: shown after the count, such as a loss. */
void progress_update(progress *p, uint64_t done, const char *note);
/* Erases the line. */
void progress_end(progress *p);

#endif
