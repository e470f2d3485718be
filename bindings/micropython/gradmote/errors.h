/* The exceptions, and functions that raise them. */
#ifndef ERRORS_H
#define ERRORS_H

#include "session.h"

extern module_type error_type, data_error_type, fault_type;

/* Raises GradmoteError. */
NORETURN void raise_error(const char *message, const char *hint);

/* Raises DataError. */
NORETURN void raise_data_error(const char *message, const char *hint);

/* Raises RuntimeFault for a negative code. where: the call or the tensor. */
void check(int code, const char *where);

#endif
