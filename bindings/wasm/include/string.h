/*
 * The part of <string.h> that the runtime uses, so that a WebAssembly module needs no C library.
 */
#ifndef GM_WASM_STRING_H
#define GM_WASM_STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t size);
size_t strlen(const char *text);

#endif
