/* The functions of the C library that the runtime calls, for clang-cl without headers of Microsoft's. */
#ifndef MSVC_HEADERS_STRING_H
#define MSVC_HEADERS_STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *a, const void *b, size_t size);
size_t strlen(const char *text);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t size);

#endif
