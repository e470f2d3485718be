/* Exits with a message on stderr: what was wrong, and what to do about it. */
#ifndef FAILURE_H
#define FAILURE_H

#define EXIT_REFUSED 1 /* data, model or storage */
#define EXIT_MISUSE 2  /* the command line */

/* hint: may be NULL. */
void fail(const char *hint, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* A gm_error or console_error, with the console's text and hint. what: the file or step
 * concerned. */
void fail_code(int code, const char *what) __attribute__((noreturn));

/* The last system call on `path` failed, with errno. */
void fail_errno(const char *path) __attribute__((noreturn));

/* The command line is wrong. */
void misuse(const char *hint, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

#endif
