/*
 * A plugin of QEMU that counts how often each block of translated code runs after each other one.
 *
 * Arguments: mark=ADDRESS (hexadecimal), out=FILE. A region is what runs between two calls of the
 * function at the mark. When a region ends, its counts are appended to the file:
 *   R                           a region begins
 *   B block start end size      a block that is new: its addresses, and its machine instructions
 *   E from to count             how often `to` ran directly after `from`
 * Numbers of blocks count from 0; addresses are hexadecimal, all else is decimal.
 *
 * QEMU's own header is not part of its packages everywhere, so that the few declarations that are
 * needed stand here. They are the same in all versions (docs/devel/tcg-plugins.rst of QEMU).
 * PLUGIN_VERSION is the version of the interface, 1 up to QEMU 8 and 2 from QEMU 9 on.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, void (*call)(plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, void (*call)(unsigned, void *), int flags,
                                          void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);

EXPORT int qemu_plugin_version = PLUGIN_VERSION;

struct edge {
    struct block *to;
    uint64_t count;
};

struct block {
    uint64_t start, end;
    size_t size;
    unsigned number;
    bool told; /* whether the file has its addresses */
    struct edge *edges;
    size_t edge_count;
    struct block *next_in_bucket, *next_in_order;
};

#define BUCKETS 65536u

static struct block *buckets[BUCKETS];
static struct block *first, **last = &first;
static struct block *previous;
static unsigned block_count;
static uint64_t mark;
static FILE *out;

static void *grown(void *memory, size_t size)
{
    memory = realloc(memory, size);
    if (memory == NULL) {
        fputs("the plugin that counts blocks has no memory left\n", stderr);
        exit(1);
    }
    return memory;
}

static struct block *block_at(uint64_t start, uint64_t end, size_t size)
{
    struct block **bucket = &buckets[(start / 2) % BUCKETS];
    for (struct block *block = *bucket; block != NULL; block = block->next_in_bucket) {
        if (block->start == start && block->end == end) {
            return block;
        }
    }
    struct block *block = grown(NULL, sizeof *block);
    *block = (struct block){.start = start, .end = end, .size = size, .number = block_count++};
    block->next_in_bucket = *bucket;
    *bucket = block;
    *last = block;
    last = &block->next_in_order;
    return block;
}

static void tell_block(struct block *block)
{
    if (!block->told) {
        fprintf(out, "B %u %" PRIx64 " %" PRIx64 " %zu\n", block->number, block->start, block->end, block->size);
        block->told = true;
    }
}

static void tell_region(void)
{
    fputs("R\n", out);
    for (struct block *block = first; block != NULL; block = block->next_in_order) {
        for (size_t i = 0; i < block->edge_count; ++i) {
            struct edge *edge = &block->edges[i];
            if (edge->count != 0) {
                tell_block(block);
                tell_block(edge->to);
                fprintf(out, "E %u %u %" PRIu64 "\n", block->number, edge->to->number, edge->count);
                edge->count = 0;
            }
        }
    }
    fflush(out); /* the emulator is killed once the program is done */
}

static void count_edge(struct block *from, struct block *to)
{
    for (size_t i = 0; i < from->edge_count; ++i) {
        if (from->edges[i].to == to) {
            ++from->edges[i].count;
            return;
        }
    }
    from->edges = grown(from->edges, (from->edge_count + 1) * sizeof *from->edges);
    from->edges[from->edge_count++] = (struct edge){to, 1};
}

static void on_run(unsigned cpu, void *data)
{
    struct block *block = data;
    (void)cpu;
    if (block->start == mark) {
        tell_region();
    }
    if (previous != NULL) {
        count_edge(previous, block);
    }
    previous = block;
}

static void on_translation(plugin_id id, struct qemu_plugin_tb *tb)
{
    size_t size = qemu_plugin_tb_n_insns(tb);
    struct qemu_plugin_insn *begin = qemu_plugin_tb_get_insn(tb, 0), *tail = qemu_plugin_tb_get_insn(tb, size - 1);
    uint64_t end = qemu_plugin_insn_vaddr(tail) + qemu_plugin_insn_size(tail);
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_cb(tb, on_run, 0, block_at(qemu_plugin_insn_vaddr(begin), end, size));
}

EXPORT int qemu_plugin_install(plugin_id id, const void *info, int count, char **arguments)
{
    (void)info;
    for (int i = 0; i < count; ++i) {
        if (strncmp(arguments[i], "mark=", 5) == 0) {
            mark = strtoull(arguments[i] + 5, NULL, 16);
        } else if (strncmp(arguments[i], "out=", 4) == 0) {
            out = fopen(arguments[i] + 4, "w");
        }
    }
    if (out == NULL) {
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    return 0;
}
