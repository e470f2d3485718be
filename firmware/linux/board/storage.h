/* The board's storage: three ordinary files in its folder, each replaced as a whole. */
#ifndef STORAGE_H
#define STORAGE_H

#include <stdint.h>

#define STORAGE_AREA (64u << 20) /* maximum size in bytes of an image, and of any other file */

enum storage_file { STORAGE_IMAGE, STORAGE_CHECKPOINT, STORAGE_BASE };

/* folder: created if missing; NULL: nothing is stored. Exits if it cannot be used. */
void storage_open(const char *folder);

/* Reads the file into `area` of STORAGE_AREA bytes. Returns its size, or 0 if there is none that
 * fits. */
uint32_t storage_read(enum storage_file file, uint8_t *area);

/* Reports on stderr what is wrong with a file that cannot be used, and what to do. */
void storage_refuse(enum storage_file file, const char *what);

/* Saves the file. Returns 0 or -1. Does nothing without a folder. */
int storage_keep(enum storage_file file, const uint8_t *data, uint32_t size);

/* Removes the file, if there is one. Returns 0, or -1. */
int storage_remove(enum storage_file file);

#endif
