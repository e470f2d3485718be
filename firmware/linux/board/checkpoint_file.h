/* slots.h over checkpoint.gmck and base.gmck. */
#ifndef CHECKPOINT_FILE_H
#define CHECKPOINT_FILE_H

/* As after power-on: what storage has. */
void checkpoint_file_open(void);

#endif
