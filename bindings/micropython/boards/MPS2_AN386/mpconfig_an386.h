/* The port's configuration, with a raw serial line, and files. */
#include <mpconfigport.h>

#undef MICROPY_PY_SYS_STDIO_BUFFER
#define MICROPY_PY_SYS_STDIO_BUFFER (1)
