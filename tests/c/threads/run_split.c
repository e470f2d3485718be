/*
 * Runs instructions whole, then in 2 to 5 parts on as many threads, and prints the memory after each.
 * Standard input has cases: words of the instruction and bytes of the memory (a multiple of 16), as 32-bit words; the
 * instruction; the memory. Standard output has for each case and number of parts: how many there were, what the kernel
 * returned, and the memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gm_threads.h"
#include "split.h"

#define SPARE 65536u
#define MOST 5u

/* Counts what it hands over to threads. */
typedef struct counter {
    const gm_splitter *threads;
    uint32_t parts;
} counter;

static void count(void *context, uint32_t parts, gm_task task, void *argument)
{
    counter *c = context;
    c->parts = parts;
    c->threads->run(c->threads->context, parts, task, argument);
}

static void take(void *data, size_t size)
{
    if (fread(data, size, 1, stdin) != 1) {
        exit(2);
    }
}

/* parts: 1 without a splitter. */
static void run(const uint32_t *instruction, const uint8_t *memory, uint32_t size, uint32_t parts, gm_threads *threads)
{
    uint8_t *arena = aligned_alloc(64, (size + (MOST - 1) * SPARE + 63) / 64 * 64);
    counter counted = {gm_threads_splitter(threads), 1};
    gm_splitter splitter = {count, &counted, parts, 1};
    gm_header header = {.arena_size = size};
    gm_session session = {.header = &header, .arena = arena, .splitter = parts > 1 ? &splitter : NULL, .spare = SPARE};
    memcpy(arena, memory, size);
    uint32_t status = (uint32_t)gm_execute(&session, instruction);
    fwrite(&counted.parts, sizeof counted.parts, 1, stdout);
    fwrite(&status, sizeof status, 1, stdout);
    fwrite(arena, size, 1, stdout);
    free(arena);
}

int main(void)
{
    uint32_t head[2];
    gm_threads *threads = gm_threads_open(MOST);
    while (fread(head, sizeof head, 1, stdin) == 1) {
        uint32_t *instruction = malloc(4 * (size_t)head[0]);
        uint8_t *memory = malloc(head[1]);
        take(instruction, 4 * (size_t)head[0]);
        take(memory, head[1]);
        for (uint32_t parts = 1; parts <= MOST; parts++) {
            run(instruction, memory, head[1], parts, threads);
        }
        free(memory);
        free(instruction);
    }
    gm_threads_close(threads);
    return 0;
}
