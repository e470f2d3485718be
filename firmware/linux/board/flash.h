/* The image area as the board's flash: in memory, backed by model.mote. */
#ifndef FLASH_H
#define FLASH_H

/* Loads what storage has, as after power-on. */
void flash_open(void);

#endif
