/* The line of the console: stdin and stdout, or one TCP client at a time. */
#ifndef LINE_H
#define LINE_H

#include <stdint.h>

/* listen: HOST:PORT with a numeric host, or NULL. Ends the program where it cannot listen there. */
void line_open(const char *listen);

void line_put(uint8_t byte);
/* -1 where there is none now. Sends first what line_put() holds back. */
int line_get(void);
/* Waits until something comes, at most so long. Ends the program where nothing can come any more. */
void line_wait(int milliseconds);

void line_flush(void);

#endif
