/* The storage of the board: three ordinary files in its folder, each replaced as a whole. */
#ifndef STORAGE_H
#define STORAGE_H

#include <stdint.h>

#define STORAGE_AREA (64u << 20) /* bytes of the longest image, and of the longest other file */

enum storage_file { STORAGE_IMAGE, STORAGE_CHECKPOINT, STORAGE_BASE };

/* folder: made where it is missing; NULL: nothing is kept. Ends the program where it cannot be used. */
void storage_open(const char *folder);

/* Reads the file into `area` of STORAGE_AREA bytes; returns its size, or 0 where there is none that fits. */
uint32_t storage_read(enum storage_file file, uint8_t *area);

/* Says on stderr what is wrong with a file that is not used, and what to do. */
void storage_refuse(enum storage_file file, const char *what);

/* Returns 0, or -1. Without a folder there is nothing to do. */
int storage_keep(enum storage_file file, const uint8_t *data, uint32_t size);

/* Removes the file, if there is one. Returns 0, or -1. */
int storage_remove(enum storage_file file);

#endif
