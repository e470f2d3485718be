/* Temporary files by their names, which tell the process that writes them: ".NAME.gradmote-PID-RANDOM", as the host tools name
 * theirs. What a killed process left is removed by the next that writes to the same folder. */
#ifndef LEFT_OVER_H
#define LEFT_OVER_H

#include <stddef.h>

/* A pattern for mkstemp(). Returns 0, or -1 where it is too long. */
int left_over_name(char *pattern, size_t size, const char *folder, const char *name);

/* Removes those of processes that live no more and hold no lock on them; all else in the folder stays. */
void left_over_remove(const char *folder);

#endif
