/* Ctrl-C and SIGTERM ask the program to stop at the next good moment; a second one stops it at
 * once. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

void interrupt_catch(void);

/* Returns the signal that came, or 0. The program's exit code is then 128 plus the signal. */
int interrupt_signal(void);

#endif
