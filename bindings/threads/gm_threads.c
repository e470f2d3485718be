/*
 * Threads that share the parts of a job. A ticket says how many parts the job has, and which one is
 * next; a thread takes the next part by one compare-and-swap of the ticket. A worker without work
 * looks for some for a few microseconds, because the next instruction mostly has some, and then
 * sleeps.
 */
#define _POSIX_C_SOURCE 200809L

#include "gm_threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* How often a worker looks at the ticket before it sleeps, which takes some 50 microseconds, and
 * how often the caller looks before it yields the processor. */
#define LOOKS 2000u

/* The least elements of a part. They take a few microseconds; handing a part over takes one. */
#define LEAST 8192u

struct gm_threads {
    gm_splitter splitter;
    uint32_t ticket;             /* atomic: parts << 16 | next part */
    uint32_t finished;           /* atomic: parts of the job that are done */
    uint32_t sleepers;           /* atomic */
    uint32_t ends;               /* atomic: 1 when workers are to return */
    gm_task task;                /* the job's function, and its argument */
    void *argument;
    pthread_mutex_t lock;        /* held while a worker goes to sleep or is woken */
    pthread_cond_t wake;
    pid_t process;               /* the process of the workers; 0: none were started */
    uint32_t workers;
    pthread_t worker[GM_MAX_PARTS];
};

/* ---- Parts ----------------------------------------------------------------------------------- */

static int has_part(uint32_t ticket)
{
    return (ticket & 0xFFFF) < ticket >> 16;
}

static uint32_t look(gm_threads *threads)
{
    return __atomic_load_n(&threads->ticket, __ATOMIC_SEQ_CST);
}

/* Does one part, and returns 0 where none is left. A job is not over before its last part is done,
 * so the task that is read here is that of the part's job. */
static int take_part(gm_threads *threads)
{
    uint32_t ticket = look(threads);
    while (has_part(ticket)) {
        if (__atomic_compare_exchange_n(&threads->ticket, &ticket, ticket + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            threads->task(threads->argument, ticket & 0xFFFF);
            __atomic_fetch_add(&threads->finished, 1, __ATOMIC_RELEASE);
            return 1;
        }
    }
    return 0;
}

/* ---- Workers --------------------------------------------------------------------------------- */

static void pause_a_little(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static int should_wake(gm_threads *threads)
{
    return has_part(look(threads)) || __atomic_load_n(&threads->ends, __ATOMIC_SEQ_CST);
}

/* Waits until there is work, or until no more will come. A worker that is about to sleep counts
 * itself before it reads the ticket for the last time, and run() reads that count after it has
 * written the ticket. So one of the two sees the other. */
static void wait_for_work(gm_threads *threads)
{
    for (uint32_t i = 0; i < LOOKS; i++) {
        if (should_wake(threads)) {
            return;
        }
        pause_a_little();
    }
    pthread_mutex_lock(&threads->lock);
    __atomic_fetch_add(&threads->sleepers, 1, __ATOMIC_SEQ_CST);
    while (!should_wake(threads)) {
        pthread_cond_wait(&threads->wake, &threads->lock);
    }
    __atomic_fetch_sub(&threads->sleepers, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&threads->lock);
}

static void *work(void *argument)
{
    gm_threads *threads = argument;
    while (!__atomic_load_n(&threads->ends, __ATOMIC_SEQ_CST)) {
        if (!take_part(threads)) {
            wait_for_work(threads);
        }
    }
    return NULL;
}

static void wake_all(gm_threads *threads)
{
    pthread_mutex_lock(&threads->lock);
    pthread_cond_broadcast(&threads->wake);
    pthread_mutex_unlock(&threads->lock);
}

/* Starts the workers. They block all signals, which are for the caller's threads. */
static void start_workers(gm_threads *threads)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (uint32_t i = 1; i < threads->splitter.parts; i++) {
        if (pthread_create(&threads->worker[threads->workers], NULL, work, threads) == 0) {
            threads->workers++;
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Starts with the first work of a process. In a child of fork(), what the parent's workers had
 * locked, counted or left over means nothing. */
static void start(gm_threads *threads)
{
    threads->process = getpid();
    threads->ticket = 0;
    threads->workers = threads->sleepers = 0;
    pthread_mutex_init(&threads->lock, NULL);
    pthread_cond_init(&threads->wake, NULL);
    start_workers(threads);
}

/* ---- The splitter ---------------------------------------------------------------------------- */

static void run(void *context, uint32_t parts, gm_task task, void *argument)
{
    gm_threads *threads = context;
    if (threads->process != getpid()) {
        start(threads);
    }
    threads->task = task;
    threads->argument = argument;
    __atomic_store_n(&threads->finished, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&threads->ticket, parts << 16, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&threads->sleepers, __ATOMIC_SEQ_CST) > 0) {
        wake_all(threads);
    }
    while (take_part(threads)) {
    }
    for (uint32_t looks = 1; __atomic_load_n(&threads->finished, __ATOMIC_ACQUIRE) != parts; looks++) {
        pause_a_little();
        if (looks % LOOKS == 0) {
            sched_yield();
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
    if (threads != NULL && threads->process == getpid()) {
        __atomic_store_n(&threads->ends, 1, __ATOMIC_SEQ_CST);
        wake_all(threads);
        for (uint32_t i = 0; i < threads->workers; i++) {
            pthread_join(threads->worker[i], NULL);
        }
        pthread_mutex_destroy(&threads->lock);
        pthread_cond_destroy(&threads->wake);
    }
    free(threads);
}
