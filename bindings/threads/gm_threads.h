/*
 * Threads for gm_set_splitter(), for POSIX operating systems and Windows. Firmware does not use
 * them.
 *
 *     gm_threads *threads = gm_threads_open(4);
 *     gm_set_splitter(&session, gm_threads_splitter(threads), arena_size);
 *     ...
 *     gm_close(&session);
 *     gm_threads_close(threads);
 *
 * Each gm_threads serves one session at a time. The calling thread takes parts too, so a thread
 * that is late, or that could not be started, delays nothing. Threads start with the first work. In
 * a child of fork(), which does not have its parent's threads, they start again.
 */
#ifndef GM_THREADS_H
#define GM_THREADS_H

#include "gradmote.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gm_threads gm_threads;

/* Returns threads that start with the first work, or NULL if `count` is out of range or there is no
 * memory. count: 1 to GM_MAX_PARTS, including the calling thread. */
gm_threads *gm_threads_open(uint32_t count);

/* Returns the splitter for gm_set_splitter(), valid until gm_threads_close(). */
const gm_splitter *gm_threads_splitter(const gm_threads *threads);

/* Ends and joins the threads. No session may use their splitter any longer. Does nothing for
 * NULL. */
void gm_threads_close(gm_threads *threads);

#ifdef __cplusplus
}
#endif

#endif
