/* Ctrl-C and SIGTERM ask to stop at the next good moment; a second one does not wait for it. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

void interrupt_catch(void);

/* The signal that came, or 0. The program's exit code is then 128 and it. */
int interrupt_signal(void);

#endif
