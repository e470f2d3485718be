#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "failure.h"
#include "left_over.h"

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
        fail("compile the model with a smaller batch, or close other programs", "there are no %zu bytes of memory",
             size);
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

/* Follows a symbolic link to its target. Only regular files can be replaced. */
static int find_target(replacement *r, const char *path)
{
    struct stat about;
    int there = stat(path, &about) == 0;
    if (!there && errno != ENOENT) {
        return -1;
    }
    if (there && !S_ISREG(about.st_mode)) {
        errno = S_ISDIR(about.st_mode) ? EISDIR : ENOTSUP;
        return -1;
    }
    if (strlen(path) >= sizeof r->path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (!there || realpath(path, r->path) == NULL) {
        strcpy(r->path, path);
    }
    return 0;
}

static int name_temporary(replacement *r)
{
    char folder[sizeof r->temporary], name[sizeof r->temporary];
    strcpy(folder, r->path);
    strcpy(name, r->path);
    const char *in = dirname(folder);
    left_over_remove(in);
    if (left_over_name(r->temporary, sizeof r->temporary, in, basename(name)) != 0) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return 0;
}

int replacement_begin(replacement *r, const char *path)
{
    static int registered;
    if (find_target(r, path) != 0 || name_temporary(r) != 0) {
        return -1;
    }
    int file = mkstemp(r->temporary);
    if (file < 0) {
        return -1;
    }
    started = r;
    registered = registered || atexit(remove_started) == 0;
    (void)flock(file, LOCK_EX | LOCK_NB); /* marks it as in use, unlike files left by a killed run */
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

/* The new name is on the disk only after its folder is synced. */
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

static int reserve(replacement *r, size_t size)
{
    static const uint8_t zeros[4096];
    for (size_t done = 0; done < size; done += sizeof zeros) {
        size_t rest = size - done;
        if (replacement_write(r, zeros, rest < sizeof zeros ? rest : sizeof zeros) != 0) {
            return -1;
        }
    }
    if (fflush(r->file) != 0 || fsync(fileno(r->file)) != 0) {
        give_up(r);
        return -1;
    }
    return 0;
}

int file_can_be_replaced(const char *path, size_t size)
{
    replacement r;
    if (replacement_begin(&r, path) != 0 || reserve(&r, size) != 0) {
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

int file_remove(const char *path)
{
    char copy[4096];
    if (strlen(path) >= sizeof copy) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (unlink(path) != 0) {
        return errno == ENOENT ? 0 : -1;
    }
    sync_folder(strcpy(copy, path));
    return 0;
}

const char *file_keep_elsewhere(const char *name, const void *data, size_t size)
{
    static char kept[4096];
    const char *folders[] = {getenv("TMPDIR"), "/tmp", "/var/tmp"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; ++i) {
        char folder[2048], copy[2048];
        if (folders[i] == NULL || strlen(name) >= sizeof copy ||
            snprintf(folder, sizeof folder, "%s/gradmote-XXXXXX", folders[i]) >= (int)sizeof folder ||
            mkdtemp(folder) == NULL) {
            continue;
        }
        snprintf(kept, sizeof kept, "%s/%s", folder, basename(strcpy(copy, name)));
        if (file_replace(kept, data, size) == 0) {
            return kept;
        }
        rmdir(folder);
    }
    return NULL;
}
