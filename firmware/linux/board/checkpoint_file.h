/* Implements slots.h with checkpoint.gmck and base.gmck. */
#ifndef CHECKPOINT_FILE_H
#define CHECKPOINT_FILE_H

/* Loads what storage has, as after power-on. */
void checkpoint_file_open(void);

#endif
