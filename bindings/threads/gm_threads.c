/*
 * Threads that share the parts of a job. A ticket has the number of parts and the next part; a
 * thread takes the next part by one compare-and-swap of the ticket. A worker without work polls for
 * a few microseconds, because the next instruction usually has some, and then sleeps.
 */
#define _POSIX_C_SOURCE 200809L

#include "gm_threads.h"

#include <stdlib.h>

#if defined(_WIN32)
#include "win32.h"
#else
#include "posix.h"
#endif

/* How often a worker polls the ticket before it sleeps, which takes about 50 microseconds, and how
 * often the caller polls before it yields the processor. */
#define LOOKS 2000u

/* Minimum number of elements in a part. They take a few microseconds; handing over a part takes
 * one. */
#define LEAST 8192u

struct gm_threads {
    gm_splitter splitter;
    uint32_t ticket;             /* atomic: parts << 16 | next part */
    uint32_t finished;           /* atomic: finished parts of the job */
    uint32_t sleepers;           /* atomic */
    uint32_t ends;               /* atomic: 1 makes workers return */
    gm_task task;                /* the job's function and its argument */
    void *argument;
    gm_monitor monitor;          /* entered while a worker goes to sleep or is woken */
    gm_process process;          /* the workers' process; 0: none were started */
    uint32_t workers;
    gm_thread worker[GM_MAX_PARTS];
};

/* ---- Parts ----------------------------------------------------------------------------------- */

static int has_part(uint32_t ticket)
{
    return (ticket & 0xFFFF) < ticket >> 16;
}

static uint32_t look(gm_threads *threads)
{
    return gm_atomic_load(&threads->ticket);
}

/* Does one part. Returns 0 if none is left. A job ends only after its last part, so the task read
 * here belongs to the part's job. */
static int take_part(gm_threads *threads)
{
    uint32_t ticket = look(threads);
    while (has_part(ticket)) {
        if (gm_atomic_replace(&threads->ticket, &ticket, ticket + 1)) {
            threads->task(threads->argument, ticket & 0xFFFF);
            gm_atomic_add(&threads->finished, 1);
            return 1;
        }
    }
    return 0;
}

/* ---- Workers --------------------------------------------------------------------------------- */

static int should_wake(gm_threads *threads)
{
    return has_part(look(threads)) || gm_atomic_load(&threads->ends);
}

/* Waits until there is work, or until no more will come. A worker that is about to sleep counts
 * itself before it reads the ticket for the last time, and run() reads that count after it has
 * written the ticket. So at least one of them sees the other. */
static void wait_for_work(gm_threads *threads)
{
    for (uint32_t i = 0; i < LOOKS; i++) {
        if (should_wake(threads)) {
            return;
        }
        gm_thread_pause();
    }
    gm_monitor_enter(&threads->monitor);
    gm_atomic_add(&threads->sleepers, 1);
    while (!should_wake(threads)) {
        gm_monitor_wait(&threads->monitor);
    }
    gm_atomic_add(&threads->sleepers, UINT32_MAX);
    gm_monitor_leave(&threads->monitor);
}

static gm_thread_result GM_THREAD_CALL work(void *argument)
{
    gm_threads *threads = argument;
    while (!gm_atomic_load(&threads->ends)) {
        if (!take_part(threads)) {
            wait_for_work(threads);
        }
    }
    return 0;
}

static void wake_all(gm_threads *threads)
{
    gm_monitor_enter(&threads->monitor);
    gm_monitor_wake_all(&threads->monitor);
    gm_monitor_leave(&threads->monitor);
}

static void start_workers(gm_threads *threads)
{
    for (uint32_t i = 1; i < threads->splitter.parts; i++) {
        if (gm_thread_start(&threads->worker[threads->workers], work, threads)) {
            threads->workers++;
        }
    }
}

/* Starts the workers at the first work of a process. After fork(), the locks, counts and leftovers
 * of the parent's workers mean nothing in the child. */
static void start(gm_threads *threads)
{
    threads->process = gm_this_process();
    threads->ticket = 0;
    threads->workers = threads->sleepers = 0;
    gm_monitor_open(&threads->monitor);
    start_workers(threads);
}

/* ---- The splitter ---------------------------------------------------------------------------- */

static void run(void *context, uint32_t parts, gm_task task, void *argument)
{
    gm_threads *threads = context;
    if (threads->process != gm_this_process()) {
        start(threads);
    }
    threads->task = task;
    threads->argument = argument;
    gm_atomic_store(&threads->finished, 0);
    gm_atomic_store(&threads->ticket, parts << 16);
    if (gm_atomic_load(&threads->sleepers) > 0) {
        wake_all(threads);
    }
    while (take_part(threads)) {
    }
    for (uint32_t looks = 1; gm_atomic_load(&threads->finished) != parts; looks++) {
        gm_thread_pause();
        if (looks % LOOKS == 0) {
            gm_thread_yield();
        }
    }
}

gm_threads *gm_threads_open(uint32_t count)
{
    gm_threads *threads = count >= 1 && count <= GM_MAX_PARTS ? calloc(1, sizeof *threads) : NULL;
    if (threads != NULL) {
        threads->splitter.run = run;
        threads->splitter.context = threads;
        threads->splitter.parts = count;
        threads->splitter.least = LEAST;
    }
    return threads;
}

const gm_splitter *gm_threads_splitter(const gm_threads *threads)
{
    return &threads->splitter;
}

void gm_threads_close(gm_threads *threads)
{
    if (threads != NULL && threads->process == gm_this_process()) {
        gm_atomic_store(&threads->ends, 1);
        wake_all(threads);
        for (uint32_t i = 0; i < threads->workers; i++) {
            gm_thread_join(threads->worker[i]);
        }
        gm_monitor_close(&threads->monitor);
    }
    free(threads);
}
