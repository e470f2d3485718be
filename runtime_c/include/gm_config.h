/*
 * Every option of the runtime, with its reason. Define an option on the compiler's command line to change it;
 * you usually need none of them.
 */
#ifndef GM_CONFIG_H
#define GM_CONFIG_H

/* Numerics profile. 1: each multiply-accumulate is one fused multiply-add (parts with such an instruction).
 * 0: multiply and add round apart (anything else). The two give different bits, so a board and its host twin
 * must agree; the default follows the target's instruction set. */
#ifndef GM_FUSED
#if defined(__ARM_FEATURE_FMA) || defined(__FMA__) || defined(__aarch64__) || \
    (defined(__riscv_flen) && __riscv_flen >= 32)
#define GM_FUSED 1
#else
#define GM_FUSED 0
#endif
#endif

/* 1: where a processor has a faster form of a kernel (kernels/arch), that one is compiled; its bits are the same.
 * On x86-64 and AArch64 it takes up to 80 KB of stack. 0: plain C everywhere, which is smaller, and takes 1 KB at most. */
#ifndef GM_ARCH
#define GM_ARCH 1
#endif

/* 1: the processor has Helium with floating point (Cortex-M55, M85, most M52), for kernels that notice where it would lose
 * a subnormal number. Not for the compiler, which would not (docs/NUMERICS.md): say -mcpu=cortex-m55+nomve to it. */
#ifndef GM_HELIUM
#define GM_HELIUM 0
#endif

/* The longest program that gm_open() accepts, in inner-loop trips of its kernels (each some 2 to 40 machine
 * instructions). It bounds how long a hostile image can keep a board busy; the default is about a minute at
 * 1 GHz. */
#ifndef GM_MAX_WORK
#define GM_MAX_WORK (UINT64_C(1) << 34)
#endif

/* 1 leaves kernels out unless GM_WITH_<OPCODE> or GM_WITH_<OPTIMIZER> is defined as 1: a firmware built for one
 * model then carries only what that model uses. 0 takes all kernels in. */
#ifndef GM_ONLY_SELECTED
#define GM_ONLY_SELECTED 0
#endif

/* 0 leaves out what only training needs, also of the verifier and the executor: gm_open() then refuses an image that
 * has the program TRAIN, OPTIMIZER or STEP with GM_ERR_BAD_OPCODE. */
#ifndef GM_TRAINING
#define GM_TRAINING 1
#endif

/* 0 leaves out the sample store (gm_learn() and what belongs to it): gm_open() then refuses an image that has one with
 * GM_ERR_BAD_OPCODE. */
#ifndef GM_WITH_STORE
#define GM_WITH_STORE (GM_TRAINING && !GM_ONLY_SELECTED)
#endif

/* 1: gm_set_splitter(), by which the caller's threads share the work of large instructions (bindings/threads has such
 * threads for POSIX). For computers that run an operating system: it takes some 4 KB of stack, and the session grows. */
#ifndef GM_THREADS
#define GM_THREADS 0
#endif

#endif
