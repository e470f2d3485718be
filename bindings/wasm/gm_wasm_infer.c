/*
 * What JavaScript needs beside gradmote.h in the module that only infers. It has no kernels for
 * training, so the programs that train are dropped from an image before it is opened.
 */
#include "gradmote.h"

/* What the checksum covers begins here: docs/SPEC.md, "Header". */
#define CRC_START 16u

#define EXPORT(name) __attribute__((export_name(#name)))

/* Returns the bytes of a gm_session. */
EXPORT(gm_wasm_session_size) uint32_t gm_wasm_session_size(void)
{
    return sizeof(gm_session);
}

static uint32_t checksum(const gm_header *header)
{
    return gm_crc32(0, (const uint8_t *)header + CRC_START, header->size - CRC_START);
}

/* Drops all programs from an image but the inference. gm_open() verifies what is left like any
 * image. The bytes must be those that were written: a damaged image stays damaged. */
EXPORT(gm_wasm_keep_inference) int gm_wasm_keep_inference(gm_header *header, uint32_t size)
{
    gm_requirements needs;
    int status = gm_required(header, size, &needs);
    if (status != GM_OK) {
        return status;
    }
    if (checksum(header) != header->crc) {
        return GM_ERR_BAD_CRC;
    }
    if ((needs.programs >> GM_PROGRAM_INFER & 1) == 0) {
        return GM_ERR_NO_PROGRAM;
    }
    gm_section *programs = &header->sections[GM_SECTION_PROGRAMS];
    gm_program *first = (gm_program *)(void *)((uint8_t *)header + programs->offset), *kept = first;
    while (kept->kind != GM_PROGRAM_INFER) { /* gm_required() has found it in the section */
        ++kept;
    }
    *first = *kept;
    programs->size = sizeof *first;
    header->crc = checksum(header);
    return GM_OK;
}
