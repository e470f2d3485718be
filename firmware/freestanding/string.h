/*
 * The functions of <string.h> that the firmware and the runtime call, for a compiler without a C
 * library. The compiler's own library has the memory functions, and string.c the string functions.
 */
#ifndef GM_FREESTANDING_STRING_H
#define GM_FREESTANDING_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);

int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t size);
size_t strlen(const char *text);

#endif
