#include "image.h"

GM_COLD const gm_tensor *gm_find_tensor(const gm_header *header, uint32_t programs, uint32_t role, uint32_t index)
{
    const gm_tensor *tensor = gm_section_data(header, GM_SECTION_TENSORS);
    uint32_t count = header->sections[GM_SECTION_TENSORS].size / (uint32_t)sizeof *tensor;
    for (uint32_t i = 0; i < count; ++i) {
        if (tensor[i].role == role && (tensor[i].programs & programs) != 0 && index-- == 0) {
            return &tensor[i];
        }
    }
    return NULL;
}
