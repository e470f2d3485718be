/*
 * A vector of GM_LANES floats, the basis of the kernels of this folder. Each instruction set has
 * one header. It defines gm_vec, gm_words of as many 32-bit integers, and these functions:
 *
 *   gm_vec_load(p), gm_vec_store(p, v)                  GM_LANES floats, of any alignment
 *   gm_vec_load_part(p, n), gm_vec_store_part(p, v, n)  the first n lanes, 0 < n <= GM_LANES;
 *                                                       the others load as 0
 *   gm_vec_splat(x)                                     x in all lanes
 *   gm_vec_add(a, b), gm_vec_mac(acc, a, b)             rounded as + and GM_MAC are
 *   gm_vec_sub, gm_vec_mul, gm_vec_div(a, b)            rounded as -, *, / are
 *   gm_vec_sqrt(v)                                      rounded as gm_sqrt() is
 *   gm_vec_relu(v)                                      x < 0 ? 0 : x
 *   gm_vec_transpose(t)                                 t[GM_LANES], in place
 *   gm_vec_load_bytes(p), gm_vec_store_bytes(p, v)      GM_LANES bytes, as 32-bit integers
 *   gm_words_load(p), gm_words_store(p, v)              GM_LANES 32-bit integers
 *   gm_words_of_s8(p)                                   GM_LANES int8 values
 *
 * If int8 kernels have vectors (GM_ARCH_SIMD), there is gm_pairs too, of GM_LANES pairs of int16:
 *
 *   gm_pairs_load(p), gm_pairs_store(p, v)              GM_LANES pairs, of any alignment
 *   gm_pairs_splat(p)                                   the pair at p in all lanes
 *   gm_pairs_of_bytes(p, q, zero)                       pairs (p[i] - zero, q[i] - zero) of int8
 *   gm_pairs_of_numbers(p, q)                           pairs (p[i], q[i]) of int16
 *   gm_numbers_of_bytes(to, p, zero)                    writes GM_LANES values p[i] - zero as int16
 *   gm_pairs_mac(acc, a, b)                             adds both products of each lane, modulo 2^32
 *
 * It also defines the size of tiles. GM_TILE_ROWS by GM_TILE_VECTORS accumulators should fit
 * into the registers along with GM_TILE_VECTORS + 1 others, and be enough to hide the
 * latency of a multiply-add. GM_ROW_VECTORS are the accumulators of a single row, and
 * GM_PANEL_FLOATS is how much of the stack a kernel may use. GM_PAIR_ROWS_OF_TILE by
 * GM_TILE_VECTORS are the sums of pairs.
 */
#ifndef GM_SIMD_VECTOR_H
#define GM_SIMD_VECTOR_H

#include "../../rows.h"
#include "../arch.h"
#include "../../../src/gm_internal.h"
#include "../../../src/numerics.h"

#if GM_ARCH_TILES

/* For functions that are long, or seldom called. In WebAssembly, which must be small, their callers
 * share them, and cases that would only save a little time are omitted. */
#if defined(__wasm__)
#define GM_SIMD_LONG __attribute__((unused)) static
#define GM_BYTES_COUNT 1
#else
#define GM_SIMD_LONG GM_SIMD_INLINE
#define GM_BYTES_COUNT 0
#endif

#if defined(__x86_64__)
#include "avx2.h"
#elif defined(__aarch64__)
#include "neon.h"
#include "part_by_lanes.h"
#elif defined(__wasm_simd128__)
#include "wasm.h"
#include "part_by_lanes.h"
#elif GM_ARCH_SCALAR
#include "scalar.h"
#endif

#define GM_TILE_COLUMNS (GM_TILE_VECTORS * GM_LANES)

/* For buffers: they begin at a line of the L1 cache, so that no vector crosses two lines. */
#if GM_BYTES_COUNT
#define GM_SIMD_ALIGNED
#else
#define GM_SIMD_ALIGNED __attribute__((aligned(64)))
#endif

/* Loops over accumulators must be unrolled, or these do not stay in registers. Sanitizer
 * builds keep the loops. */
#ifndef GM_UNROLL
#define GM_UNROLL _Pragma("GCC unroll 16")
#endif

#endif
#endif
