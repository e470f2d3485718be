/* The firmware as main() sees it. */
#ifndef FIRMWARE_H
#define FIRMWARE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Starts the board and the firmware. Must be called before anything else of both. If a reset does
 * not restart the program, a second call begins anew. */
void firmware_start(void);

/* One round of the main loop: takes what has arrived, then runs one slice of a program, or sleeps
 * for up to 10 ms. */
void firmware_poll(void);

#ifdef __cplusplus
}
#endif

#endif
