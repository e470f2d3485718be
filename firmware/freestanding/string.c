#include "string.h"

int strncmp(const char *a, const char *b, size_t size)
{
    while (size > 0 && *a != '\0' && *a == *b) {
        ++a;
        ++b;
        --size;
    }
    return size > 0 ? (unsigned char)*a - (unsigned char)*b : 0;
}

int strcmp(const char *a, const char *b)
{
    return strncmp(a, b, (size_t)-1);
}

size_t strlen(const char *text)
{
    size_t size = 0;
    while (text[size] != '\0') {
        ++size;
    }
    return size;
}
