/*
 * Writes seeds for fuzz_open into a folder: make_corpus FOLDER. Link with tests/runtime/builder.c and the runtime.
 * One image trains, one has every opcode in one program, and one an opcode has that opcode alone.
 */
#include <stdio.h>
#include <string.h>

#include "../runtime/builder.h"

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

/* The image of all opcodes, its program cut down to one instruction. */
static void keep_one(uint8_t *image, uint32_t index)
{
    gm_header *header = (gm_header *)(void *)image;
    gm_program *program = (gm_program *)(void *)(image + header->sections[GM_SECTION_PROGRAMS].offset);
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
    size = build_all_opcodes(image.bytes);
    failed |= write_seed(argv[1], "all_opcodes", image.bytes, size);
    for (uint32_t i = 0; i + 1 < GM_OP_LIMIT; ++i) {
        size = build_all_opcodes(image.bytes);
        keep_one(image.bytes, i);
        snprintf(name, sizeof name, "opcode_%02u", (unsigned)(i + 1));
        failed |= write_seed(argv[1], name, image.bytes, size);
    }
    return failed;
}
