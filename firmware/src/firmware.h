/* The firmware's interface to main(). */
#ifndef FIRMWARE_H
#define FIRMWARE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Starts the board and the firmware. Call this before anything else of either. If a reset does not
 * restart the program, call it again. */
void firmware_start(void);

/* Runs one round of the main loop: handles input, then runs one slice of a program, or sleeps for
 * up to 10 ms. */
void firmware_poll(void);

#ifdef __cplusplus
}
#endif

#endif
