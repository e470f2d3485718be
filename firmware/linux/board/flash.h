/* The image area, as the board's flash: in memory, from and to model.mote. */
#ifndef FLASH_H
#define FLASH_H

/* As after power-on: what storage has. */
void flash_open(void);

#endif
