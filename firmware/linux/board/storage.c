#include "storage.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../failure.h"
#include "../files.h"

#define PATH_LIMIT 4096u

static const char *const names[] = {"model.mote", "checkpoint.gmck", "base.gmck"};
#define FILES (sizeof names / sizeof names[0])
static char paths[FILES][PATH_LIMIT]; /* "" without a folder */

void storage_open(const char *folder)
{
    if (folder == NULL) {
        return;
    }
    if (mkdir(folder, 0755) != 0 && errno != EEXIST) {
        fail_errno(folder);
    }
    if (access(folder, R_OK | W_OK | X_OK) != 0) {
        fail_errno(folder);
    }
    for (size_t i = 0; i < FILES; ++i) {
        if (snprintf(paths[i], PATH_LIMIT, "%s/%s", folder, names[i]) >= (int)PATH_LIMIT) {
            fail("choose a shorter one", "the folder's name is too long");
        }
    }
}

void storage_refuse(enum storage_file file, const char *what)
{
    fprintf(stderr, "%s %s\n hint: put a copy of it back and start again, or go on without it\n", paths[file], what);
}

static FILE *open_to_read(const char *path)
{
    FILE *from = *path != '\0' ? fopen(path, "rb") : NULL;
    if (from == NULL && *path != '\0' && errno != ENOENT) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
    }
    return from;
}

uint32_t storage_read(enum storage_file file, uint8_t *area)
{
    FILE *from = open_to_read(paths[file]);
    if (from == NULL) {
        return 0;
    }
    size_t size = fread(area, 1, STORAGE_AREA, from);
    int whole = size != 0 && !ferror(from) && fgetc(from) == EOF;
    fclose(from);
    if (!whole) {
        storage_refuse(file, "cannot be read, is empty, or is larger than 64 MiB");
    }
    return whole ? (uint32_t)size : 0;
}

int storage_keep(enum storage_file file, const uint8_t *data, uint32_t size)
{
    if (*paths[file] == '\0' || file_replace(paths[file], data, size) == 0) {
        return 0;
    }
    fprintf(stderr, "%s: %s\n", paths[file], strerror(errno));
    return -1;
}

int storage_remove(enum storage_file file)
{
    if (*paths[file] == '\0' || file_remove(paths[file]) == 0) {
        return 0;
    }
    fprintf(stderr, "%s: %s\n", paths[file], strerror(errno));
    return -1;
}
