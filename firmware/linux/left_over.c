#include "left_over.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define MARK ".gradmote-"
#define RANDOM_LENGTH 12u
#define NAME_SHOWN 40 /* bytes of the target's name */

int left_over_name(char *pattern, size_t size, const char *folder, const char *name)
{
    unsigned long moment = (unsigned long)time(NULL) & 0xFFFFFFul;
    int length =
        snprintf(pattern, size, "%s/.%.*s" MARK "%ld-%06lxXXXXXX", folder, NAME_SHOWN, name, (long)getpid(), moment);
    return length < 0 || (size_t)length >= size ? -1 : 0;
}

/* Returns the last occurrence of MARK. */
static const char *find_mark(const char *name)
{
    const char *found = NULL;
    for (const char *at = name; (at = strstr(at, MARK)) != NULL; ++at) {
        found = at;
    }
    return found;
}

/* Returns the process in a name, or 0 if it is not the name of a temporary file. */
static long process_of(const char *name)
{
    const char *mark = *name == '.' ? find_mark(name + 1) : NULL;
    char *end;
    if (mark == NULL || !isdigit((unsigned char)mark[sizeof MARK - 1])) {
        return 0;
    }
    errno = 0;
    long process = strtol(mark + sizeof MARK - 1, &end, 10);
    if (errno != 0 || *end != '-' || strlen(end + 1) != RANDOM_LENGTH) {
        return 0;
    }
    while (isalnum((unsigned char)*++end)) {
    }
    return *end == '\0' ? process : 0;
}

static int lives(long process)
{
    return (long)(pid_t)process != process || kill((pid_t)process, 0) == 0 || errno != ESRCH;
}

/* The lock protects files of processes on other computers, which write to the same disk. */
static void remove_unlocked(int folder, const char *name)
{
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file >= 0) {
        if (flock(file, LOCK_EX | LOCK_NB) == 0) {
            unlinkat(folder, name, 0);
        }
        close(file);
    }
}

void left_over_remove(const char *folder)
{
    DIR *names = opendir(folder);
    const struct dirent *entry;
    while (names != NULL && (entry = readdir(names)) != NULL) {
        long process = process_of(entry->d_name);
        if (process > 0 && !lives(process)) {
            remove_unlocked(dirfd(names), entry->d_name);
        }
    }
    if (names != NULL) {
        closedir(names);
    }
}
