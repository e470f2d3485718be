/* Many small jobs of one to five parts, with pauses in which workers fall asleep: each part is done once, and seen. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#if defined(_WIN32)
#include <windows.h>
#else
#include <time.h>
#endif

#include "gm_threads.h"

#define JOBS 20000u

static void count(void *argument, uint32_t part)
{
    uint32_t *counts = argument;
    counts[part]++;
}

/* How many parts were not done just once. */
static uint32_t wrong(const uint32_t *counts, uint32_t parts)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < GM_MAX_PARTS; i++) {
        found += counts[i] != (i < parts);
    }
    return found;
}

/* Sleeps for long enough that workers fall asleep too. */
static void take_a_nap(void)
{
#if defined(_WIN32)
    Sleep(1);
#else
    const struct timespec nap = {0, 300000};
    nanosleep(&nap, NULL);
#endif
}

int main(void)
{
    gm_threads *threads = gm_threads_open(4);
    const gm_splitter *splitter = gm_threads_splitter(threads);
    uint32_t failed = 0;
    for (uint32_t job = 0; job < JOBS; job++) {
        uint32_t counts[GM_MAX_PARTS] = {0}, parts = 1 + job % 5;
        splitter->run(splitter->context, parts, count, counts);
        failed += wrong(counts, parts);
        if (job % 100 == 0) {
            take_a_nap();
        }
    }
    gm_threads_close(threads);
    gm_threads_close(NULL);
    failed += gm_threads_open(0) != NULL || gm_threads_open(GM_MAX_PARTS + 1) != NULL;
    printf("%u failed\n", failed);
    return failed != 0;
}
