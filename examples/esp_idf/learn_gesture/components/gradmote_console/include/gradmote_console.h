/* The console of docs/CONSOLE.md on the line of USB-Serial-JTAG: typed commands, and frames for `gradmote train --on`. */
#ifndef GRADMOTE_CONSOLE_H
#define GRADMOTE_CONSOLE_H

/* Starts the task that answers the console and trains. The program defines what application.h declares: the_application
 * and application_poll(). */
void gradmote_console_start(void);

#endif
