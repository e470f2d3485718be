#include "storage.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../failure.h"
#include "../files.h"

#define PATH_LIMIT 4096u

static const char *const names[] = {"model.mote", "checkpoint.gmck"};
static char paths[2][PATH_LIMIT]; /* "" without a folder */

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
    for (int i = 0; i < 2; ++i) {
        if (snprintf(paths[i], PATH_LIMIT, "%s/%s", folder, names[i]) >= (int)PATH_LIMIT) {
            fail("choose a shorter one", "the folder's name is too long");
        }
    }
}

uint32_t storage_read(enum storage_file file, uint8_t *area)
{
    FILE *from = *paths[file] != '\0' ? fopen(paths[file], "rb") : NULL;
    if (from == NULL) {
        return 0;
    }
    size_t size = fread(area, 1, STORAGE_AREA, from);
    int whole = !ferror(from) && fgetc(from) == EOF;
    fclose(from);
    if (!whole) {
        fprintf(stderr, "%s cannot be read, or is larger than %u bytes\n", paths[file], STORAGE_AREA);
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
