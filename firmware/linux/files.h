/* Files that are read in place, and files that an interruption leaves old or new, never half. */
#ifndef FILES_H
#define FILES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A whole file in memory, page-aligned. */
typedef struct file_view {
    const uint8_t *data;
    size_t size;
} file_view;

/* Maps a file. Ends the program where it cannot be read or is empty. */
file_view file_map(const char *path);

/* Zeroed memory, page-aligned; pages cost nothing until they are used. Ends the program where there is none. */
void *memory_map(size_t size);

/* A file that grows beside `path` and takes its place when it is complete. One at a time: at exit a started one is removed. */
typedef struct replacement {
    char path[4096];
    char temporary[4096];
    FILE *file;
} replacement;

/* Each returns 0, or -1 with errno set; the temporary file is gone then. */
int replacement_begin(replacement *r, const char *path);
int replacement_write(replacement *r, const void *data, size_t size);
/* Brings the bytes to the disk, then renames. */
int replacement_commit(replacement *r);

/* Whether a file of this size can take the place of `path`. Returns 0, or -1 with errno set. */
int file_can_be_replaced(const char *path, size_t size);

/* All of it at once. Returns 0, or -1 with errno set. */
int file_replace(const char *path, const void *data, size_t size);

/* Removes a file, on the disk too; one that is not there is no error. Returns 0, or -1 with errno set. */
int file_remove(const char *path);

/* Writes what has no place where it should go into a new temporary folder, under the same name. Returns its path, valid until
 * the next call; NULL where that fails too. */
const char *file_keep_elsewhere(const char *name, const void *data, size_t size);

#endif
