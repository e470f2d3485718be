/*
 * The blocked matrix products against the definition in docs/NUMERICS.md, to the bit, over random shapes and strides;
 * and GEMM_UPDATE against GEMM followed by UPDATE, for every rule. Prints a checksum of the results.
 */
#include <string.h>

#include "checks.h"
#include "gm_internal.h"
#include "numerics.h"
#include "../../../runtime_c/generated/instructions/gemm.h"
#include "../../../runtime_c/generated/instructions/gemm_update.h"
#include "../../../runtime_c/generated/instructions/update.h"

/* Places in the arena, in elements. */
enum {
    A = 0,
    B = 2048,
    BIAS = 4096,
    Y = 4160,
    P = 6144,
    SLOT1 = 8192,
    SLOT2 = 10240,
    AUX = 12288,
    LR = 12290,
    RULE = 12292,
    ARENA = 12304
};

/* Most elements of y, p and each slot: 2 batches of 9 x 21. */
#define OUTPUTS 378

static float arena[ARENA], before[ARENA];
static gm_session session;
static uint32_t random_state = 1;
static uint64_t checksum = UINT64_C(0xcbf29ce484222325);

/* 0 .. limit-1 */
static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % limit;
}

static void fill_arena(void)
{
    for (int i = 0; i < ARENA; i++) {
        arena[i] = ((float)random_below(20001) - 10000.0f) * 1e-4f;
    }
    for (int i = SLOT2; i < SLOT2 + OUTPUTS; i++) {
        arena[i] = gm_abs(arena[i]);
    }
    arena[AUX] = 0.1f, arena[AUX + 1] = 0.001f, arena[LR] = 0.01f;
}

static void put_rule(uint32_t kind, float weight_decay)
{
    const float hyper[GM_RULE_WORDS] = {0, weight_decay, 0.9f, 0.1f, 0.999f, 0.001f, 1e-8f};
    memcpy(arena + RULE, hyper, sizeof hyper);
    memcpy(arena + RULE, &kind, sizeof kind);
}

static void add_to_checksum(const float *values)
{
    for (int i = 0; i < OUTPUTS; i++) {
        checksum = (checksum ^ gm_bits_of(values[i])) * UINT64_C(0x100000001b3);
    }
}

/* Shapes up to (2, 9, 21, 17); a plain or transposed; b plain, transposed, or with neither stride 1 and one batch. */
static gm_insn_gemm random_gemm(void)
{
    uint32_t m = 1 + random_below(9), n = 1 + random_below(21), k = 1 + random_below(17);
    uint32_t transpose_a = random_below(2), layout_b = random_below(3);
    gm_insn_gemm insn = {0, A * 4, B * 4, random_below(2) ? BIAS * 4 : GM_NONE, Y * 4, .m = m, .n = n, .k = k};
    insn.batch = 1 + random_below(2);
    insn.a_batch = m * k;
    insn.a_row = transpose_a ? 1 : k;
    insn.a_col = transpose_a ? m : 1;
    insn.b_batch = layout_b == 2 ? 0 : n * k;
    insn.b_row = layout_b == 0 ? n : layout_b == 1 ? 1 : 2 * n + 1;
    insn.b_col = layout_b == 0 ? 1 : layout_b == 1 ? k : 2;
    insn.accumulate = random_below(4) == 0;
    insn.activation = random_below(2);
    return insn;
}

/* y[batch, m, n] by the definition. */
static float expected_at(const gm_insn_gemm *insn, uint32_t batch, uint32_t m, uint32_t n)
{
    float sum = insn->bias == GM_NONE ? -0.0f : before[BIAS + n];
    if (insn->accumulate) {
        sum = before[Y + (batch * insn->m + m) * insn->n + n];
    }
    for (uint32_t k = 0; k < insn->k; k++) {
        float a = before[A + batch * insn->a_batch + m * insn->a_row + k * insn->a_col];
        float b = before[B + batch * insn->b_batch + k * insn->b_row + n * insn->b_col];
        sum = GM_MAC(sum, a, b);
    }
    return insn->activation && sum < 0.0f ? 0.0f : sum;
}

static void test_gemm(const gm_insn_gemm *insn)
{
    fill_arena();
    memcpy(before, arena, sizeof arena);
    CHECK_STATUS(GM_OK, gm_kernel_gemm(&session, insn));
    uint32_t differing = 0, outputs = insn->batch * insn->m * insn->n;
    for (uint32_t i = 0; i < outputs; i++) {
        float expected = expected_at(insn, i / (insn->m * insn->n), i / insn->n % insn->m, i % insn->n);
        differing += gm_bits_of(arena[Y + i]) != gm_bits_of(expected);
    }
    CHECK(differing == 0);
    CHECK(memcmp(arena + Y + outputs, before + Y + outputs, (ARENA - Y - outputs) * 4) == 0);
    add_to_checksum(arena + Y);
}

static void test_gemm_update(const gm_insn_gemm *shape)
{
    static float expected[ARENA];
    fill_arena();
    uint32_t kind = random_below(GM_RULE_COUNT);
    put_rule(kind, random_below(2) ? 0.1f : 0.0f);
    memcpy(before, arena, sizeof arena);
    gm_insn_gemm gemm = *shape;
    gemm.bias = GM_NONE, gemm.batch = 1, gemm.accumulate = 0, gemm.activation = GM_ACTIVATION_NONE;
    gm_insn_update update = {0,       Y * 4,  P * 4,   SLOT1 * 4, SLOT2 * 4,
                             AUX * 4, LR * 4, GM_NONE, RULE * 4,  gemm.m * gemm.n};
    CHECK_STATUS(GM_OK, gm_kernel_gemm(&session, &gemm));
    CHECK_STATUS(GM_OK, gm_kernel_update(&session, &update));
    memcpy(expected, arena, sizeof arena);
    memcpy(arena, before, sizeof arena);
    gm_insn_gemm_update both = {0,        A * 4,  B * 4,  Y * 4,  P * 4,      SLOT1 * 4,  SLOT2 * 4,  AUX * 4,   LR * 4,
                                RULE * 4, gemm.m, gemm.n, gemm.k, gemm.a_row, gemm.a_col, gemm.b_row, gemm.b_col};
    CHECK_STATUS(GM_OK, gm_kernel_gemm_update(&session, &both));
    CHECK(memcmp(expected + P, arena + P, (ARENA - P) * 4) == 0);
    CHECK(memcmp(before + P, arena + P, gemm.m * gemm.n * 4) != 0);
    add_to_checksum(arena + P);
    add_to_checksum(arena + SLOT1);
    add_to_checksum(arena + SLOT2);
}

int main(void)
{
    session.arena = (uint8_t *)arena;
    for (int i = 0; i < 2000; i++) {
        gm_insn_gemm insn = random_gemm();
        test_gemm(&insn);
        test_gemm_update(&insn);
    }
    printf("checksum %016llx\n", (unsigned long long)checksum);
    return checks_summary();
}
