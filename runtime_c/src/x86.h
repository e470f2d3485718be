/*
 * Detects which instructions this x86 processor has, and whether the operating system saves their
 * registers. Does not use __builtin_cpu_supports(), which always returns no with zig.
 */
#ifndef GM_X86_H
#define GM_X86_H

#include <stdint.h>

#if defined(__x86_64__) || defined(__i386__) || defined(_M_X64) || defined(_M_IX86)

#if defined(_MSC_VER) && !defined(__clang__)
#  include <intrin.h> /* indented: the amalgamation leaves it under its condition */
#else
#  include <cpuid.h>
#endif

enum { GM_X86_EAX, GM_X86_EBX, GM_X86_ECX, GM_X86_EDX, GM_X86_REGISTERS };

#define GM_X86_FMA (1u << 12)     /* in ECX of leaf 1 */
#define GM_X86_OSXSAVE (1u << 27) /* in ECX of leaf 1 */
#define GM_X86_AVX2 (1u << 5)     /* in EBX of leaf 7 */
#define GM_X86_AVX512F (1u << 16) /* in EBX of leaf 7 */
#define GM_X86_VECTORS 6u         /* in XCR0: the OS saves SSE and AVX registers */
#define GM_X86_WIDE_VECTORS 0xe6u /* in XCR0: and those of AVX-512 */

static inline void gm_x86_cpuid(uint32_t leaf, uint32_t *found)
{
#if defined(_MSC_VER) && !defined(__clang__)
    __cpuidex((int *)found, (int)leaf, 0);
#else
    __cpuid_count(leaf, 0, found[GM_X86_EAX], found[GM_X86_EBX], found[GM_X86_ECX], found[GM_X86_EDX]);
#endif
}

/* Returns whether the operating system saves these registers. Call it only if OSXSAVE is set. */
static inline int gm_x86_keeps(uint32_t registers)
{
#if defined(_MSC_VER) && !defined(__clang__)
    uint32_t low = (uint32_t)_xgetbv(0);
#else
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    (void)high;
#endif
    return (low & registers) == registers;
}

static inline int gm_x86_has_fma(void)
{
    uint32_t found[GM_X86_REGISTERS];
    gm_x86_cpuid(1, found);
    return (found[GM_X86_ECX] & GM_X86_FMA) && (found[GM_X86_ECX] & GM_X86_OSXSAVE) && gm_x86_keeps(GM_X86_VECTORS);
}

/* Returns whether these bits of EBX of leaf 7 are set, and the operating system saves these
 * registers. */
static inline int gm_x86_has_extended(uint32_t features, uint32_t registers)
{
    uint32_t found[GM_X86_REGISTERS];
    gm_x86_cpuid(0, found);
    if (found[GM_X86_EAX] < 7) {
        return 0;
    }
    gm_x86_cpuid(1, found);
    if (!(found[GM_X86_ECX] & GM_X86_OSXSAVE) || !gm_x86_keeps(registers)) {
        return 0;
    }
    gm_x86_cpuid(7, found);
    return (found[GM_X86_EBX] & features) == features;
}

static inline int gm_x86_has_avx2(void)
{
    return gm_x86_has_extended(GM_X86_AVX2, GM_X86_VECTORS);
}

static inline int gm_x86_has_avx512(void)
{
    return gm_x86_has_extended(GM_X86_AVX512F, GM_X86_WIDE_VECTORS);
}

#endif
#endif
