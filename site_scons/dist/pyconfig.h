/*
 * Python's configuration for modules that use only its stable interface, on any 64-bit platform. It
 * replaces the one that Python wrote for the computer on which it was compiled.
 */
#ifndef Py_PYCONFIG_H
#define Py_PYCONFIG_H

#define _GNU_SOURCE 1
#define _DARWIN_C_SOURCE 1

#define HAVE_ERRNO_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_STDDEF_H 1
#define HAVE_STDINT_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TYPES_H 1

#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_TIME_T 8
#define SIZEOF_FLOAT 4
#define SIZEOF_DOUBLE 8

#if defined(_WIN32)
#define MS_WIN32
#define MS_WIN64
#define MS_WINDOWS
#define HAVE_DECLSPEC_DLL 1
#define Py_ENABLE_SHARED 1
#define SIZEOF_LONG 4
#define SIZEOF_WCHAR_T 2
#else
#define HAVE_SSIZE_T 1
#define HAVE_UNISTD_H 1
#define SIZEOF_LONG 8
#define SIZEOF_WCHAR_T 4
#endif

#endif
