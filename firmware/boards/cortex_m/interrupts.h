/*
 * Interrupt handlers. Their names end in _interrupt (but for the last one here): the bound of the
 * stack counts the deepest of them. All have the priority they are reset to, so that none
 * interrupts another.
 */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

typedef void (*vector)(void);

/* Goes right behind the processor's own vectors: a table of handlers, by number of interrupt. */
#define INTERRUPT_VECTORS __attribute__((section(".interrupts"), used)) static const vector interrupts[]

/* Faults where a family does not define it. */
void systick_handler(void);

#endif
