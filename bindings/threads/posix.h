/* The parts of gm_threads.c that depend on POSIX, and on gcc's and clang's atomics. win32.h has the
 * same for Windows. */
#ifndef GM_THREADS_POSIX_H
#define GM_THREADS_POSIX_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

/* ---- Atomics, sequentially consistent -------------------------------------------------------- */

static inline uint32_t gm_atomic_load(const uint32_t *from)
{
    return __atomic_load_n(from, __ATOMIC_SEQ_CST);
}

static inline void gm_atomic_store(uint32_t *to, uint32_t value)
{
    __atomic_store_n(to, value, __ATOMIC_SEQ_CST);
}

static inline void gm_atomic_add(uint32_t *to, uint32_t value)
{
    __atomic_fetch_add(to, value, __ATOMIC_SEQ_CST);
}

/* Writes `value` and returns 1 if *to is *expected. Otherwise sets *expected to *to and returns
 * 0. */
static inline int gm_atomic_replace(uint32_t *to, uint32_t *expected, uint32_t value)
{
    return __atomic_compare_exchange_n(to, expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* ---- A monitor: a lock with a condition to wait for ------------------------------------------- */

typedef struct gm_monitor {
    pthread_mutex_t lock;
    pthread_cond_t wake;
} gm_monitor;

static inline void gm_monitor_open(gm_monitor *monitor)
{
    pthread_mutex_init(&monitor->lock, NULL);
    pthread_cond_init(&monitor->wake, NULL);
}

static inline void gm_monitor_close(gm_monitor *monitor)
{
    pthread_mutex_destroy(&monitor->lock);
    pthread_cond_destroy(&monitor->wake);
}

static inline void gm_monitor_enter(gm_monitor *monitor)
{
    pthread_mutex_lock(&monitor->lock);
}

static inline void gm_monitor_leave(gm_monitor *monitor)
{
    pthread_mutex_unlock(&monitor->lock);
}

static inline void gm_monitor_wait(gm_monitor *monitor)
{
    pthread_cond_wait(&monitor->wake, &monitor->lock);
}

static inline void gm_monitor_wake_all(gm_monitor *monitor)
{
    pthread_cond_broadcast(&monitor->wake);
}

/* ---- Threads and processes -------------------------------------------------------------------- */

typedef pthread_t gm_thread;
typedef void *gm_thread_result;
#define GM_THREAD_CALL

/* Starts a thread that blocks all signals, which are for the caller's threads. Returns 1, or 0 if
 * it cannot start one. */
static inline int gm_thread_start(gm_thread *thread, gm_thread_result (*work)(void *), void *argument)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(thread, NULL, work, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error == 0;
}

static inline void gm_thread_join(gm_thread thread)
{
    pthread_join(thread, NULL);
}

/* Hints to the processor that this thread is waiting for another one. */
static inline void gm_thread_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static inline void gm_thread_yield(void)
{
    sched_yield();
}

typedef pid_t gm_process;

/* Returns the number of this process. It differs in a child of fork(). */
static inline gm_process gm_this_process(void)
{
    return getpid();
}

#endif
