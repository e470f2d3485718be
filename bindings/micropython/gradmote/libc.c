/* The C library functions that the runtime calls, for a native .mpy, which has none. The empty
 * statements keep the compiler from replacing their loops with calls of the functions. */
#include <stddef.h>
#include <stdint.h>

#define KEEP_LOOP() __asm__ volatile("")

void *memmove(void *to, const void *from, size_t size)
{
    uint8_t *out = to;
    const uint8_t *in = from;
    if (out <= in) {
        for (size_t i = 0; i < size; ++i) {
            out[i] = in[i];
            KEEP_LOOP();
        }
    } else {
        while (size-- > 0) {
            out[size] = in[size];
            KEEP_LOOP();
        }
    }
    return to;
}

void *memcpy(void *to, const void *from, size_t size)
{
    return memmove(to, from, size);
}

void *memset(void *to, int value, size_t size)
{
    uint8_t *out = to;
    while (size-- > 0) {
        out[size] = (uint8_t)value;
        KEEP_LOOP();
    }
    return to;
}

int memcmp(const void *left, const void *right, size_t size)
{
    const uint8_t *a = left, *b = right;
    for (size_t i = 0; i < size; ++i) {
        if (a[i] != b[i]) {
            return a[i] - b[i];
        }
        KEEP_LOOP();
    }
    return 0;
}

void *memchr(const void *in, int value, size_t size)
{
    const uint8_t *at = in;
    for (; size-- > 0; ++at) {
        if (*at == (uint8_t)value) {
            return (void *)(uintptr_t)at;
        }
        KEEP_LOOP();
    }
    return NULL;
}

size_t strlen(const char *text)
{
    size_t length = 0;
    while (text[length] != '\0') {
        ++length;
        KEEP_LOOP();
    }
    return length;
}

int strcmp(const char *left, const char *right)
{
    while (*left != '\0' && *left == *right) {
        ++left;
        ++right;
        KEEP_LOOP();
    }
    return (uint8_t)*left - (uint8_t)*right;
}
