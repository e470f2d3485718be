/* Stands in for Zephyr, on a computer: one thread, which checks that locks are held in pairs. */
#ifndef STAND_IN_KERNEL_H
#define STAND_IN_KERNEL_H

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>

#define printk printf
#define __aligned(bytes) __attribute__((aligned(bytes)))
#define K_FOREVER (-1)

struct k_mutex {
    int held;
};
#define K_MUTEX_DEFINE(name) struct k_mutex name

static inline int k_mutex_lock(struct k_mutex *mutex, int timeout)
{
    assert(timeout == K_FOREVER && mutex->held == 0);
    mutex->held = 1;
    return 0;
}

static inline int k_mutex_unlock(struct k_mutex *mutex)
{
    assert(mutex->held == 1);
    mutex->held = 0;
    return 0;
}

#endif
