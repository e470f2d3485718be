/*
 * The micro-kernels: loops whose cycles follow by hand from a core's timings, and tell these timings on a real part.
 * KERNELS(X) is X(name) for each of them that this core can run; kernels.S has their code.
 */
#ifndef MICRO_KERNELS_H
#define MICRO_KERNELS_H

#if defined(__ARM_ARCH_6M__)
#define MAINLINE(X)
#else
#define MAINLINE(X) X(load_double) X(multiply_add) X(multiply_long) X(divide) X(shifted)
#endif

#if defined(__ARM_FEATURE_DSP) && __ARM_FEATURE_DSP
#define DSP(X) X(smlad)
#else
#define DSP(X)
#endif

#if defined(__ARM_FP) && (__ARM_FP & 4)
#define FLOATS(X) \
    X(vfma_independent) X(vfma_dependent) X(vmla_independent) X(vmla_dependent) X(vadd_independent) X(vadd_dependent) \
    X(vmul_dependent) X(vmul_vadd_apart) X(vmul_vadd_next) X(vfma_read) X(vfma_adds) X(vfma_vldm4) X(vldr) X(vldr_apart) \
    X(vstr) X(vldm2) X(vldm8) X(vstm2) X(vstm8) X(vdiv) X(vdiv_nops) X(vmov_to_core) X(vmov_from_core)
#else
#define FLOATS(X)
#endif

#if defined(GM_HELIUM) && GM_HELIUM
#define VECTORS(X) \
    X(vector_load) X(vector_fused_independent) X(vector_fused_dependent) X(vector_load_fused) X(vector_add_dependent) \
    X(low_overhead_loop)
#else
#define VECTORS(X)
#endif

#define KERNELS(X) \
    X(loop) X(nops) X(adds_dependent) X(load_run) X(load_apart) X(load_dependent) X(store_run) X(push_pop2) X(push_pop4) \
    X(multiply) X(branch_taken) X(branch_not_taken) MAINLINE(X) DSP(X) FLOATS(X) VECTORS(X)

#endif
