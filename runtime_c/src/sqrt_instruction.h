/*
 * The square root as one instruction, for builds without -fno-math-errno. In these, the compiler's
 * builtin calls the C library's sqrtf() for negative numbers, so programs would need -lm.
 */
#ifndef GM_SQRT_INSTRUCTION_H
#define GM_SQRT_INSTRUCTION_H

#if defined(__SSE__)
#  include <xmmintrin.h> /* indented: the amalgamation leaves it under its condition */
#endif

static inline float gm_sqrt(float x)
{
#if defined(__SSE__)
    return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(x)));
#else
    float root;
#if defined(__aarch64__)
    __asm__("fsqrt %s0, %s1" : "=w"(root) : "w"(x));
#elif defined(__arm__)
    __asm__("vsqrt.f32 %0, %1" : "=t"(root) : "t"(x));
#elif defined(__riscv)
    __asm__("fsqrt.s %0, %1" : "=f"(root) : "f"(x));
#else
    __asm__("local.get %1\n\tf32.sqrt\n\tlocal.set %0" : "=r"(root) : "r"(x)); /* WebAssembly */
#endif
    return root;
#endif
}

#endif
