/* The port's configuration, with bytes of the serial line as they are, and files. */
#include <mpconfigport.h>

#undef MICROPY_PY_SYS_STDIO_BUFFER
#define MICROPY_PY_SYS_STDIO_BUFFER (1)
