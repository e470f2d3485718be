/* Implements board_ticks() with SysTick, at the core clock. It also wakes the core from sleep
 * BOARD_WAKE_HZ times a second (100). */
#ifndef SYSTICK_TIME_H
#define SYSTICK_TIME_H

void systick_time_start(void);

#endif
