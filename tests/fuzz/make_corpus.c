/*
 * Writes seeds for fuzz_open into a folder: make_corpus FOLDER. Link with tests/c/runtime/builder.c and the runtime.
 * One image trains, one has a sample store, one has every opcode in one program, and one for each instruction of it has that alone.
 */
#include <stdio.h>
#include <string.h>

#include "../c/runtime/builder.h"

static int write_seed(const char *folder, const char *name, const uint8_t *bytes, uint32_t size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.mote", folder, name);
    FILE *file = fopen(path, "wb");
    int failed = file == NULL || fwrite(bytes, 1, size, file) != size;
    failed |= file != NULL && fclose(file) != 0;
    if (failed) {
        fprintf(stderr, "cannot write %s\n", path);
    }
    return failed;
}

static gm_program *program_of(uint8_t *image)
{
    const gm_header *header = (const gm_header *)(const void *)image;
    return (gm_program *)(void *)(image + header->sections[GM_SECTION_PROGRAMS].offset);
}

/* The image of all opcodes, its program cut down to one instruction. Its record's work is left for the target to
 * put right. */
static void keep_one(uint8_t *image, uint32_t index)
{
    const gm_header *header = (const gm_header *)(const void *)image;
    gm_program *program = program_of(image);
    const uint8_t *code = image + header->sections[GM_SECTION_CODE].offset;
    uint32_t at = 0, head;
    for (;; at += 4 * (head >> 16)) {
        memcpy(&head, code + at, sizeof head);
        if (index-- == 0) {
            break;
        }
    }
    program->code_offset = at;
    program->code_size = 4 * (head >> 16);
    program->instructions = 1;
    image_seal(image);
}

int main(int argc, char **argv)
{
    static block image;
    char name[32];
    if (argc != 2) {
        fprintf(stderr, "usage: make_corpus FOLDER\n");
        return 2;
    }
    uint32_t size = build_tiny(image.bytes);
    int failed = write_seed(argv[1], "tiny", image.bytes, size);
    failed |= write_seed(argv[1], "tiny_and_state", image.bytes, size + 256);
    size = build_taught(image.bytes);
    failed |= write_seed(argv[1], "taught", image.bytes, size);
    failed |= write_seed(argv[1], "taught_and_state", image.bytes, size + 256);
    size = build_all_opcodes(image.bytes);
    failed |= write_seed(argv[1], "all_opcodes", image.bytes, size);
    uint32_t instructions = program_of(image.bytes)->instructions;
    for (uint32_t i = 0; i < instructions; ++i) {
        size = build_all_opcodes(image.bytes);
        keep_one(image.bytes, i);
        snprintf(name, sizeof name, "instruction_%02u", (unsigned)i);
        failed |= write_seed(argv[1], name, image.bytes, size);
    }
    return failed;
}
