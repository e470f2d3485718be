/*
 * Runs the INFER program of an image whose arena has nothing after it, and prints the scratch as it is then. The scratch
 * begins as 1, 2, 3, ...; the image's bytes come from standard input.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "gradmote.h"

#define ROOM 65536u

static uint8_t image[ROOM] __attribute__((aligned(16)));

/* So many bytes, a multiple of 16, of which the last is also the last of what is mapped. */
static uint8_t *arena_of(uint32_t size)
{
    uint8_t *room = mmap(NULL, 2 * ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED || size > ROOM || munmap(room + ROOM, ROOM) != 0) {
        exit(2);
    }
    return room + ROOM - size;
}

int main(void)
{
    size_t size = fread(image, 1, sizeof image, stdin);
    const gm_header *header = (const gm_header *)(const void *)image;
    uint8_t *arena = arena_of(header->arena_size), *end = arena + header->arena_size;
    gm_session session;
    int status = gm_open(&session, image, size, arena, header->arena_size);
    float value = 1.0f;
    for (uint8_t *at = arena + header->scratch_offset; status == GM_OK && at < end; at += 4, value += 1.0f) {
        memcpy(at, &value, sizeof value);
    }
    status = status == GM_OK ? gm_infer(&session) : status;
    fwrite(arena + header->scratch_offset, (size_t)(end - arena) - header->scratch_offset, 1, stdout);
    return -status;
}
