/*
 * All options of the runtime. Define one on the compiler's command line to change it. You usually
 * need none of them.
 */
#ifndef GM_CONFIG_H
#define GM_CONFIG_H

/* The numerics profile. 1: each multiply-accumulate is one fused multiply-add, on parts that have
 * such an instruction. 0: product and sum are rounded separately. The two give different bits, so a
 * board and its twin must have the same profile. The default follows the target's instruction set.
 * A Cortex-M4 and M33 take three cycles for a fused multiply-add, and two for product and sum: of
 * Cortex-M, the default is 1 only with double precision in hardware, which these lack. So define it
 * as 1 for a Cortex-M7 without it. */
#ifndef GM_FUSED
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#if defined(__ARM_FEATURE_FMA) && (__ARM_FP & 8)
#define GM_FUSED 1
#else
#define GM_FUSED 0
#endif
#elif defined(__ARM_FEATURE_FMA) || defined(__FMA__) || defined(__aarch64__) || defined(_M_ARM64) || \
    (defined(__riscv_flen) && __riscv_flen >= 32)
#define GM_FUSED 1
#else
#define GM_FUSED 0
#endif
#endif

/* 1: where there is a faster form of a kernel for the processor (kernels/arch), that one is
 * compiled. Its bits are the same. On x86-64 and AArch64 it takes up to 80 KB of stack. 0: all
 * kernels are plain C, which is smaller and takes 1 KB of stack at most. */
#ifndef GM_ARCH
#define GM_ARCH 1
#endif

/* 1: in the strict profile, kernels for Cortex-M with FPU make a multiply-accumulate of one VMLA, which rounds twice. 0: of
 * a VMUL and a VADD that other instructions stand between. The bits are the same. A Cortex-M7 is faster with VMLA, where M4,
 * M33 and M55 wait for it. The default knows an M7 by its double-precision unit: define it where an M7 has none. */
#ifndef GM_CHAINED
#if defined(__ARM_ARCH_7EM__) && defined(__ARM_FP) && (__ARM_FP & 8)
#define GM_CHAINED 1
#else
#define GM_CHAINED 0
#endif
#endif

/* 1: the processor has Helium with floating point (Cortex-M55, M85, most M52), and kernels use it.
 * They notice where it would lose a subnormal number. The compiler would not notice, so forbid it
 * Helium with -mcpu=cortex-m55+nomve (docs/NUMERICS.md). */
#ifndef GM_HELIUM
#define GM_HELIUM 0
#endif

/* 1: the processor is a RISC-V core with Zve32f or V, vectors of 128 bits or more, and kernels use it.
 * Their assembly keeps numbers in vector registers, so leave the extension out of -march: else the
 * compiler would use these registers too. Whoever starts the core switches the unit on (mstatus.VS). */
#ifndef GM_ZVE32F
#define GM_ZVE32F 0
#endif

/* The longest program that gm_open() accepts, in inner-loop trips of its kernels. A trip takes some
 * 2 to 40 machine instructions. The limit bounds how long a hostile image can keep a board busy;
 * the default is about a minute at 1 GHz. */
#ifndef GM_MAX_WORK
#define GM_MAX_WORK (UINT64_C(1) << 34)
#endif

/* 1: kernels are left out unless GM_WITH_<OPCODE> or GM_WITH_<OPTIMIZER> is defined as 1, so that
 * firmware that is built for one model has only what that model uses. 0: all kernels are
 * compiled. */
#ifndef GM_ONLY_SELECTED
#define GM_ONLY_SELECTED 0
#endif

/* 0: depthwise convolutions, of one channel and one output channel in each group, have no kernels of their own in floats on
 * Cortex-M with FPU. Their bits are the same, but they take several times longer. */
#ifndef GM_WITH_DEPTHWISE
#define GM_WITH_DEPTHWISE (!GM_ONLY_SELECTED)
#endif

/* 0: convolutions of three planes, as a picture's colours are with channels first, have no kernel of their own in floats on
 * Cortex-M with FPU. Their bits are the same, but they take longer. */
#ifndef GM_WITH_PLANES
#define GM_WITH_PLANES (!GM_ONLY_SELECTED)
#endif

/* 0: what only training needs is left out, in the verifier and the executor too. gm_open() then
 * refuses an image that has the program TRAIN, OPTIMIZER or STEP with GM_ERR_BAD_OPCODE. */
#ifndef GM_TRAINING
#define GM_TRAINING 1
#endif

/* 0: the sample store is left out, that is gm_learn() and what belongs to it. gm_open() then
 * refuses an image that has a store with GM_ERR_BAD_OPCODE. */
#ifndef GM_WITH_STORE
#define GM_WITH_STORE (GM_TRAINING && !GM_ONLY_SELECTED)
#endif

/* 0: gm_round_save() is left out, and what saving a checkpoint has for its sake. The linker leaves out
 * what else rounds of federated learning need, where nothing calls it. */
#ifndef GM_WITH_ROUNDS
#define GM_WITH_ROUNDS 1
#endif

/* 0: what quantized models need is left out. gm_open() then refuses an image that has a tensor, a
 * parameter or an instruction of 8 or 16 bits with GM_ERR_BAD_OPCODE. */
#ifndef GM_WITH_INT8
#define GM_WITH_INT8 (!GM_ONLY_SELECTED)
#endif

/* 0: moments of two bytes are left out. gm_open() then refuses an image whose optimizer has moments of bfloat16 with
 * GM_ERR_BAD_OPCODE. With 1, GM_WITH_INT8 is 1 too. */
#ifndef GM_WITH_SHORT_MOMENTS
#define GM_WITH_SHORT_MOMENTS (GM_TRAINING && GM_WITH_INT8 && !GM_ONLY_SELECTED)
#endif

/* 0: loops are left out, by which layers are computed row by row. gm_open() then refuses an image
 * that has one with GM_ERR_BAD_OPCODE. */
#ifndef GM_WITH_LOOPS
#define GM_WITH_LOOPS GM_WITH_INT8
#endif
#ifndef GM_WITH_LOOP
#define GM_WITH_LOOP (!GM_ONLY_SELECTED && GM_WITH_LOOPS)
#endif

/* 0: attention in blocks of rows is left out. gm_open() then refuses an image that was compiled with
 * it with GM_ERR_BAD_OPCODE. */
#ifndef GM_WITH_FUSED_ATTENTION
#define GM_WITH_FUSED_ATTENTION GM_WITH_INT8
#endif

/* 1: gm_set_splitter() is compiled, by which the caller's threads share the work of large
 * instructions. bindings/threads has such threads for POSIX and Windows. It is for computers with an
 * operating system: it takes some 4 KB of stack, and the session is larger. */
#ifndef GM_THREADS
#define GM_THREADS 0
#endif

/* 1: the first TRAIN behind an update or a reset clears gradients where it adds to them, or writes them without clearing. 0:
 * it clears all of them first, which is less code, and where there is no cache as fast. The bits are the same. */
#ifndef GM_FRESH_SUMS
#define GM_FRESH_SUMS (GM_TRAINING && GM_THREADS)
#endif

#endif
