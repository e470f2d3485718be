/* The parts of gm_threads.c that depend on Windows, from Vista on, for MSVC, clang-cl, gcc and
 * clang. posix.h has the same for POSIX. */
#ifndef GM_THREADS_WIN32_H
#define GM_THREADS_WIN32_H

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <stdint.h>
#include <windows.h>

/* ---- Atomics, sequentially consistent -------------------------------------------------------- */

static inline uint32_t gm_atomic_load(const uint32_t *from)
{
    return (uint32_t)InterlockedCompareExchange((volatile LONG *)(uintptr_t)from, 0, 0);
}

static inline void gm_atomic_store(uint32_t *to, uint32_t value)
{
    InterlockedExchange((volatile LONG *)to, (LONG)value);
}

static inline void gm_atomic_add(uint32_t *to, uint32_t value)
{
    InterlockedExchangeAdd((volatile LONG *)to, (LONG)value);
}

/* Writes `value` and returns 1 if *to is *expected. Otherwise sets *expected to *to and returns
 * 0. */
static inline int gm_atomic_replace(uint32_t *to, uint32_t *expected, uint32_t value)
{
    uint32_t before = *expected;
    *expected = (uint32_t)InterlockedCompareExchange((volatile LONG *)to, (LONG)value, (LONG)before);
    return *expected == before;
}

/* ---- A monitor: a lock with a condition to wait for ------------------------------------------- */

typedef struct gm_monitor {
    SRWLOCK lock;
    CONDITION_VARIABLE wake;
} gm_monitor;

static inline void gm_monitor_open(gm_monitor *monitor)
{
    InitializeSRWLock(&monitor->lock);
    InitializeConditionVariable(&monitor->wake);
}

/* Does nothing: a lock that nobody holds takes no resources on Windows. */
static inline void gm_monitor_close(gm_monitor *monitor)
{
    (void)monitor;
}

static inline void gm_monitor_enter(gm_monitor *monitor)
{
    AcquireSRWLockExclusive(&monitor->lock);
}

static inline void gm_monitor_leave(gm_monitor *monitor)
{
    ReleaseSRWLockExclusive(&monitor->lock);
}

static inline void gm_monitor_wait(gm_monitor *monitor)
{
    SleepConditionVariableSRW(&monitor->wake, &monitor->lock, INFINITE, 0);
}

static inline void gm_monitor_wake_all(gm_monitor *monitor)
{
    WakeAllConditionVariable(&monitor->wake);
}

/* ---- Threads and processes -------------------------------------------------------------------- */

typedef HANDLE gm_thread;
typedef DWORD gm_thread_result;
#define GM_THREAD_CALL WINAPI

/* Returns 1, or 0 if it cannot start a thread. The threads do not call the C library, so
 * CreateThread() is enough. */
static inline int gm_thread_start(gm_thread *thread, gm_thread_result(GM_THREAD_CALL *work)(void *), void *argument)
{
    *thread = CreateThread(NULL, 0, work, argument, 0, NULL);
    return *thread != NULL;
}

static inline void gm_thread_join(gm_thread thread)
{
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
}

/* Hints to the processor that this thread is waiting for another one. */
static inline void gm_thread_pause(void)
{
    YieldProcessor();
}

static inline void gm_thread_yield(void)
{
    SwitchToThread();
}

typedef DWORD gm_process;

/* Returns the number of this process. Windows has no fork(), so it never changes. */
static inline gm_process gm_this_process(void)
{
    return GetCurrentProcessId();
}

#endif
