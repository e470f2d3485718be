/* Files that are read in place, and files that an interruption leaves either old or new. */
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

/* Maps a file. Exits if it cannot be read or is empty. */
file_view file_map(const char *path);

/* Returns zeroed, page-aligned memory; pages cost nothing until they are used. Exits if there is
 * none. */
void *memory_map(size_t size);

/* A temporary file next to `path`, which replaces it when complete. Only one at a time; it is
 * removed at exit. */
typedef struct replacement {
    char path[4096];
    char temporary[4096];
    FILE *file;
} replacement;

/* Each returns 0, or -1 with errno set after removing the temporary file. */
int replacement_begin(replacement *r, const char *path);
int replacement_write(replacement *r, const void *data, size_t size);
/* Syncs the bytes to the disk, then renames. */
int replacement_commit(replacement *r);

/* Checks whether a file of this size can replace `path`. Returns 0, or -1 with errno set. */
int file_can_be_replaced(const char *path, size_t size);

/* Replaces a file in one call. Returns 0, or -1 with errno set. */
int file_replace(const char *path, const void *data, size_t size);

/* Removes a file, and syncs its folder. A missing file is not an error. Returns 0, or -1 with errno
 * set. */
int file_remove(const char *path);

/* Writes bytes that cannot go to their place into a new temporary folder, under the same name.
 * Returns the path, valid until the next call, or NULL if that fails too. */
const char *file_keep_elsewhere(const char *name, const void *data, size_t size);

#endif
