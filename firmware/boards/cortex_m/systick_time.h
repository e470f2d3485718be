/* board_ticks() by SysTick, at the clock of the core. It also ends sleeping BOARD_WAKE_HZ times a
 * second (100). */
#ifndef SYSTICK_TIME_H
#define SYSTICK_TIME_H

void systick_time_start(void);

#endif
