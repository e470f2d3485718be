/*
 * Threads for gm_set_splitter(): for computers with an operating system (POSIX); firmware has no part in it.
 *
 *     gm_threads *threads = gm_threads_open(4);
 *     gm_set_splitter(&session, gm_threads_splitter(threads), arena_size);
 *     ...
 *     gm_close(&session);
 *     gm_threads_close(threads);
 *
 * Each serves one session at a time. The calling thread takes parts too, so a thread that comes late, or could not be
 * started, delays nothing. Threads start with the first work; in a child of fork(), where there are none, they start anew.
 */
#ifndef GM_THREADS_H
#define GM_THREADS_H

#include "gradmote.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gm_threads gm_threads;

/* count: 1 .. GM_MAX_PARTS, the caller's among them. NULL where it is not, or there is no memory. */
gm_threads *gm_threads_open(uint32_t count);

const gm_splitter *gm_threads_splitter(const gm_threads *threads);

/* Ends and joins them. NULL does no harm. No session may use its splitter any more. */
void gm_threads_close(gm_threads *threads);

#ifdef __cplusplus
}
#endif

#endif
