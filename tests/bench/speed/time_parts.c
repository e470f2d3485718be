/* A splitter whose parts run one after the other on one thread, and that adds up what they take. */
#define _POSIX_C_SOURCE 199309L

#include <time.h>

#include "gradmote.h"

/* Seconds in all parts, and in those of each instruction that took longest; and how many instructions there were. */
typedef struct taken {
    double all, longest, count;
} taken;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void time_parts(void *context, uint32_t parts, gm_task task, void *argument);

/* A splitter's run(); context: a `taken`. */
void time_parts(void *context, uint32_t parts, gm_task task, void *argument)
{
    taken *sums = context;
    double first = seconds(), start = first, longest = 0.0;
    for (uint32_t part = 0; part < parts; part++) {
        task(argument, part);
        double end = seconds();
        longest = end - start > longest ? end - start : longest;
        start = end;
    }
    sums->all += start - first;
    sums->longest += longest;
    sums->count += 1.0;
}
