/*
 * Interrupt handlers. Their names end in _interrupt (except for the last one here): the stack bound
 * counts the deepest of them. All keep their reset priority, so none interrupts another.
 */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

typedef void (*vector)(void);

/* Defines the vector table right after the processor's own vectors: handlers by interrupt
 * number. */
#define INTERRUPT_VECTORS __attribute__((section(".interrupts"), used)) static const vector interrupts[]

/* Faults unless a family defines it. */
void systick_handler(void);

#endif
