/* The console's line: stdin and stdout, or one TCP client at a time. */
#ifndef LINE_H
#define LINE_H

#include <stdint.h>

/* listen: HOST:PORT with a numeric host, or NULL. Exits if it cannot listen there. */
void line_open(const char *listen);

void line_put(uint8_t byte);
/* Returns -1 if there is no byte now. First sends what line_put() holds back. */
int line_get(void);
/* Waits for input for at most this long. Exits if no more can come. */
void line_wait(int milliseconds);

void line_flush(void);

#endif
