#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 2.0 /* seconds before the first output */
#define EVERY 0.1    /* seconds */

double progress_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

progress progress_begin(const char *what, uint64_t total)
{
    progress p = {what, total, progress_clock(), 0.0};
    return p;
}

void progress_update(progress *p, uint64_t done, const char *note)
{
    double now = progress_clock(), passed = now - p->start;
    if (passed < PATIENCE || now - p->shown < EVERY || done == 0 || !isatty(STDERR_FILENO)) {
        return;
    }
    p->shown = now;
    double left = passed / (double)done * (double)(p->total - done);
    fprintf(stderr, "\r%s %3.0f %%  %llu/%llu  %s  %.0f s left\033[K", p->what, 100.0 * (double)done / (double)p->total,
            (unsigned long long)done, (unsigned long long)p->total, note, left);
    fflush(stderr);
}

void progress_end(progress *p)
{
    if (p->shown > 0.0) {
        fputs("\r\033[K", stderr);
    }
}
