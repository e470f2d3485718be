/*
 * All options of the runtime. Define one on the compiler's command line to change it. You usually
 * need none of them.
 */
#ifndef GM_CONFIG_H
#define GM_CONFIG_H

/* The numerics profile. 1: each multiply-accumulate is one fused multiply-add, on parts with such
 * an instruction. 0: product and sum are rounded separately. The two give different bits, so a
 * board and its twin must use the same profile. The default follows the target's instruction set.
 * Cortex-M4 and M33 take three cycles for a fused multiply-add, but two for product and sum. So on
 * Cortex-M the default is 1 only for cores with double precision in hardware, which these lack:
 * define it as 1 for a Cortex-M7 without. */
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

/* 1: use kernels that are optimized for the processor (kernels/arch), if there are any. The bits
 * are the same. On x86-64 and AArch64 they take up to 80 KB of stack. 0: all kernels are plain C,
 * which is smaller and takes 1 KB of stack at most. */
#ifndef GM_ARCH
#define GM_ARCH 1
#endif

/* How strict-profile kernels for Cortex-M with FPU multiply and accumulate. 1: by one VMLA, which
 * rounds twice. 0: by a VMUL and a VADD, with other instructions between them. The bits are the
 * same. A Cortex-M7 is faster with VMLA; M4, M33 and M55 stall on it. The default recognizes an M7
 * by its double-precision unit: define this as 1 for an M7 without one. */
#ifndef GM_CHAINED
#if defined(__ARM_ARCH_7EM__) && defined(__ARM_FP) && (__ARM_FP & 8)
#define GM_CHAINED 1
#else
#define GM_CHAINED 0
#endif
#endif

/* 1: the processor has Helium with floating point (Cortex-M55, M85, most M52), and kernels use it.
 * They detect where it would flush a subnormal. The compiler would not, so keep it from using
 * Helium with -mcpu=cortex-m55+nomve (docs/NUMERICS.md). */
#ifndef GM_HELIUM
#define GM_HELIUM 0
#endif

/* 1: the processor is a RISC-V core with Zve32f or V and vectors of at least 128 bits, and kernels
 * use it. Their assembly keeps numbers in vector registers, so leave the extension out of -march:
 * otherwise the compiler would use these registers too. The startup code must enable the unit
 * (mstatus.VS). */
#ifndef GM_ZVE32F
#define GM_ZVE32F 0
#endif

/* The longest program that gm_open() accepts, in inner-loop trips of its kernels. A trip takes
 * about 2 to 40 machine instructions. The limit bounds how long a hostile image can keep a board
 * busy; the default is about a minute at 1 GHz. */
#ifndef GM_MAX_WORK
#define GM_MAX_WORK (UINT64_C(1) << 34)
#endif

/* 1: compile only the kernels whose GM_WITH_<OPCODE> or GM_WITH_<OPTIMIZER> is defined as 1, so
 * that firmware for one model has only what the model uses. 0: compile all kernels. */
#ifndef GM_ONLY_SELECTED
#define GM_ONLY_SELECTED 0
#endif

/* 0: leave out the float kernels for depthwise convolutions (one input and one output channel per
 * group) on Cortex-M with FPU. The bits are the same, but such convolutions take several times as
 * long. */
#ifndef GM_WITH_DEPTHWISE
#define GM_WITH_DEPTHWISE (!GM_ONLY_SELECTED)
#endif

/* 0: leave out the float kernel for convolutions of three planes, such as a channels-first RGB
 * picture, on Cortex-M with FPU. The bits are the same, but such convolutions take longer. */
#ifndef GM_WITH_PLANES
#define GM_WITH_PLANES (!GM_ONLY_SELECTED)
#endif

/* 0: leave out everything that only training needs, including in the verifier and the executor.
 * gm_open() then refuses an image with TRAIN, OPTIMIZER or STEP with GM_ERR_BAD_OPCODE. */
#ifndef GM_TRAINING
#define GM_TRAINING 1
#endif

/* 0: leave out the sample store: gm_learn() and its companions. gm_open() then refuses an image
 * with a store with GM_ERR_BAD_OPCODE. */
#ifndef GM_WITH_STORE
#define GM_WITH_STORE (GM_TRAINING && !GM_ONLY_SELECTED)
#endif

/* 0: leave out gm_round_save(). If nothing calls the rest of federated learning, the linker drops it
 * anyway. */
#ifndef GM_WITH_ROUNDS
#define GM_WITH_ROUNDS 1
#endif

/* 0: leave out what quantized models need. gm_open() then refuses an image that has a tensor, a
 * parameter or an instruction of 8 or 16 bits with GM_ERR_BAD_OPCODE. */
#ifndef GM_WITH_INT8
#define GM_WITH_INT8 (!GM_ONLY_SELECTED)
#endif

/* 0: leave out bfloat16 moments. gm_open() then refuses an image whose optimizer has them with
 * GM_ERR_BAD_OPCODE. 1 also sets GM_WITH_INT8 to 1. */
#ifndef GM_WITH_SHORT_MOMENTS
#define GM_WITH_SHORT_MOMENTS (GM_TRAINING && GM_WITH_INT8 && !GM_ONLY_SELECTED)
#endif

/* 0: leave out loops, which compute layers row by row. gm_open() then refuses an image that has one
 * with GM_ERR_BAD_OPCODE. */
#ifndef GM_WITH_LOOPS
#define GM_WITH_LOOPS GM_WITH_INT8
#endif
#ifndef GM_WITH_LOOP
#define GM_WITH_LOOP (!GM_ONLY_SELECTED && GM_WITH_LOOPS)
#endif

/* 0: leave out attention in blocks of rows. gm_open() then refuses an image compiled with it with
 * GM_ERR_BAD_OPCODE. */
#ifndef GM_WITH_FUSED_ATTENTION
#define GM_WITH_FUSED_ATTENTION GM_WITH_INT8
#endif

/* 1: compile gm_set_splitter(), which lets the caller's threads share the work of large
 * instructions. bindings/threads has such threads for POSIX and Windows. This is for computers with
 * an operating system: it takes about 4 KB of stack, and a larger session. */
#ifndef GM_THREADS
#define GM_THREADS 0
#endif

/* 1: the first TRAIN after an update or a reset clears only the gradients that it accumulates into,
 * and overwrites the others. 0: it clears all of them first, which takes less code, and is as fast
 * on parts without a cache. The bits are the same. */
#ifndef GM_FRESH_SUMS
#define GM_FRESH_SUMS (GM_TRAINING && GM_THREADS)
#endif

#endif
