#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "failure.h"

/* ---- Reading ------------------------------------------------------------------------------------------------ */

static int open_regular(const char *path, size_t *size)
{
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &about) != 0) {
        fail_errno(path);
    }
    if (!S_ISREG(about.st_mode) || about.st_size == 0) {
        fail("give the path of a file with something in it", "%s is %s", path,
             S_ISREG(about.st_mode) ? "empty" : "not a regular file");
    }
    if ((uintmax_t)about.st_size > SIZE_MAX / 2) {
        fail("split it", "%s is too large for this processor's addresses", path);
    }
    *size = (size_t)about.st_size;
    return file;
}

file_view file_map(const char *path)
{
    file_view view;
    int file = open_regular(path, &view.size);
    void *data = mmap(NULL, view.size, PROT_READ, MAP_PRIVATE, file, 0);
    if (data == MAP_FAILED) {
        fail_errno(path);
    }
    close(file);
    view.data = data;
    return view;
}

void *memory_map(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        fail("compile the model with a smaller batch, or close other programs", "there are no %zu bytes of memory", size);
    }
    return memory;
}

/* ---- Replacing ---------------------------------------------------------------------------------------------- */

static replacement *started;

static void give_up(replacement *r)
{
    int reason = errno;
    if (r->file != NULL) {
        fclose(r->file);
    }
    unlink(r->temporary);
    started = NULL;
    errno = reason;
}

static void remove_started(void)
{
    if (started != NULL) {
        give_up(started);
    }
}

/* "folder/.name.XXXXXX" */
static int name_temporary(replacement *r)
{
    char folder[sizeof r->temporary], name[sizeof r->temporary];
    if (strlen(r->path) >= sizeof folder) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(folder, r->path);
    strcpy(name, r->path);
    int length = snprintf(r->temporary, sizeof r->temporary, "%s/.%s.XXXXXX", dirname(folder), basename(name));
    if (length >= (int)sizeof r->temporary) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return 0;
}

int replacement_begin(replacement *r, const char *path)
{
    static int registered;
    r->path = path;
    if (name_temporary(r) != 0) {
        return -1;
    }
    int file = mkstemp(r->temporary);
    if (file < 0) {
        return -1;
    }
    started = r;
    registered = registered || atexit(remove_started) == 0;
    r->file = fdopen(file, "wb");
    if (r->file == NULL || fchmod(file, 0644) != 0) {
        give_up(r);
        return -1;
    }
    return 0;
}

int replacement_write(replacement *r, const void *data, size_t size)
{
    if (size != 0 && fwrite(data, 1, size, r->file) != size) {
        give_up(r);
        return -1;
    }
    return 0;
}

/* The new name is on the disk only when its folder is. */
static void sync_folder(char *path)
{
    int folder = open(dirname(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        fsync(folder);
        close(folder);
    }
}

int replacement_commit(replacement *r)
{
    int failed = fflush(r->file) != 0 || fsync(fileno(r->file)) != 0;
    if (failed || rename(r->temporary, r->path) != 0) {
        give_up(r);
        return -1;
    }
    fclose(r->file);
    started = NULL;
    sync_folder(r->temporary);
    return 0;
}

int file_can_be_replaced(const char *path)
{
    replacement r;
    if (replacement_begin(&r, path) != 0) {
        return -1;
    }
    give_up(&r);
    return 0;
}

int file_replace(const char *path, const void *data, size_t size)
{
    replacement r;
    if (replacement_begin(&r, path) != 0 || replacement_write(&r, data, size) != 0) {
        return -1;
    }
    return replacement_commit(&r);
}
