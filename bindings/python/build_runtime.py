"""cffi's description of gradmote_runtime._fused and ._strict.

They contain the C runtime, once for each numerics profile. In a checkout SCons compiles them in place
(bindings/python/SConscript); for a wheel, setuptools does, through `cffi_modules` (setup.py). The declarations come
from the runtime's own headers.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import cffi

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "site_scons"))

from runtime_sources import (  # noqa: E402
    DIGEST_MARK,
    INCLUDES,
    RUNTIME,
    THREADS,
    extension_digest,
    extension_flags,
    extension_sources,
)

HEADERS = [
    RUNTIME / "generated" / "gm_errors.h",
    RUNTIME / "generated" / "gm_records.h",
    RUNTIME / "include" / "gradmote.h",
    THREADS / "gm_threads.h",
]

#: The functions of host.c.
HOST_DECLARATIONS = """
typedef struct gm_host_file {
    uint8_t *data;
    size_t size;
} gm_host_file;
static const gm_read_fn gm_host_read;
static const gm_write_fn gm_host_write;
int gm_host_run_program(gm_session *session, uint32_t program);
int gm_host_begin_round(gm_session *session, gm_federated_round *round, uint32_t number, void *base);
int gm_host_end_round(gm_session *session, gm_federated_round *round, uint32_t bits, uint32_t seed, const void *delta,
                      size_t size, void *base, void *room);
int gm_host_narrow(void *out, const char *values, size_t size);
typedef struct gm_host_wide { const char *values; void *out; size_t size; } gm_host_wide;
int gm_host_step_on_wide(gm_session *session, int trains, const gm_host_wide *wide, size_t count, float *loss);
int gm_host_limit_vectors(int widest);
int gm_host_time_each(gm_session *session, uint32_t program, int64_t *wall, int64_t *cpu, uint32_t count);
"""
HOST = Path(__file__).with_name("host.c")

# Only in _strict, which is compiled for the base instruction set, so that any computer can call it.
CPU_CHECK_DECLARATION = "int gm_host_has_fma(void);"
CPU_CHECK = """
#include "x86.h"
#if defined(__arm__) && defined(__linux__)
#include <sys/auxv.h>
#define HWCAP_VFPV4 (1ul << 16) /* asm/hwcap.h of 32-bit Arm */
#endif

static int gm_host_has_fma(void)
{
#if defined(GM_X86_FMA)
    return gm_x86_has_fma();
#elif defined(HWCAP_VFPV4)
    return (getauxval(AT_HWCAP) & HWCAP_VFPV4) != 0;
#else
    return 1;
#endif
}
"""


def declarations(header: str) -> str:
    """Return the part of a C header that cffi can read.

    It has no comments, no C++, no size assertions, and no preprocessor lines except those that define a number.
    """
    header = re.sub(r"/\*.*?\*/|//[^\n]*", "", header, flags=re.DOTALL)
    header = re.sub(r"#ifdef __cplusplus.*?#endif", "", header, flags=re.DOTALL)
    header = re.sub(r"^typedef char gm_assert_.*$", "", header, flags=re.MULTILINE)
    header = re.sub(r"^#define (GM_\w+) (?:0x)?[0-9a-f]+u?$", r"DEFINE \1 ...", header, flags=re.MULTILINE)
    header = re.sub(r"^#.*$", "", header, flags=re.MULTILINE)
    return header.replace("DEFINE ", "#define ")


def digest_source() -> str:
    """Return the C source of the string with the digest of a module's sources."""
    return f'const char gm_sources_digest[] = "{DIGEST_MARK}{extension_digest()}";\n'


def make_ffi(profile: str) -> cffi.FFI:
    """Return the cffi builder from which setuptools compiles one profile's extension module."""
    return wrapper(
        profile,
        more_c=digest_source(),
        sources=[os.path.relpath(path) for path in (*extension_sources(), THREADS / "gm_threads.c")],
        depends=[os.path.relpath(path) for path in (HOST, *sorted(RUNTIME.rglob("*.h")), *THREADS.glob("*.h"))],
        include_dirs=[os.path.relpath(path) for path in (*INCLUDES, THREADS)],
        extra_compile_args=[*extension_flags(profile), "-g0"],  # Python's own flags ask for debug information
        extra_link_args=["-pthread"],
    )


def wrapper(profile: str, more_c: str = "", **settings: Any) -> cffi.FFI:
    """Return the cffi builder of one profile's module.

    Its emit_c_code() writes the source that wraps the runtime, followed by `more_c`. `settings` are those of
    setuptools' Extension.
    """
    builder = cffi.FFI()
    for header in HEADERS:
        builder.cdef(declarations(header.read_text()))
    builder.cdef(HOST_DECLARATIONS)
    preamble = HOST.read_text()
    if profile == "strict":
        builder.cdef(CPU_CHECK_DECLARATION)
        preamble += CPU_CHECK
    builder.set_source(f"gradmote_runtime._{profile}", preamble + more_c, **settings)
    return builder


def fused() -> cffi.FFI:
    """Return the builder of gradmote_runtime._fused, in which each multiply-accumulate is one fused multiply-add."""
    return make_ffi("fused")


def strict() -> cffi.FFI:
    """Return the builder of gradmote_runtime._strict, in which multiply and add round separately."""
    return make_ffi("strict")
