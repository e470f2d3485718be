/* Temporary files, with the writing process in their names: ".NAME.gradmote-PID-RANDOM", as in the
 * host tools. The next process that writes to a folder removes the files that a killed one left
 * there. */
#ifndef LEFT_OVER_H
#define LEFT_OVER_H

#include <stddef.h>

/* Makes a pattern for mkstemp(). Returns 0, or -1 if it is too long. */
int left_over_name(char *pattern, size_t size, const char *folder, const char *name);

/* Removes the files of processes that have ended and hold no lock on them. Leaves everything else
 * in the folder. */
void left_over_remove(const char *folder);

#endif
