/* What a test of power cuts defines. */
#ifndef VIRT_H
#define VIRT_H

/* Returns 1 if the power fails in this byte that is programmed, or unit that is erased. */
int power_fails(void);

/* Called when it has failed. Does not return then. */
void power_failed(void);

#endif
