#include "state_segments.h"

#include "image.h"

GM_COLD gm_segments gm_segments_of(const gm_session *session, uint32_t encoding)
{
    const gm_state_entry *table = gm_section_data(session->header, GM_SECTION_STATE);
    uint32_t entries = session->header->sections[GM_SECTION_STATE].size / (uint32_t)sizeof *table;
    gm_segments segments = {table, table + entries, encoding, session->header->state_size, 0, 0, 0};
    return segments;
}

GM_COLD int gm_next_segment(gm_segments *segments)
{
    segments->at += segments->size;
    while (segments->entry < segments->end && !gm_is_packed(segments->entry, segments->encoding, segments->at)) {
        ++segments->entry;
    }
    uint32_t next = segments->entry < segments->end ? segments->entry->offset : segments->state_size;
    segments->is_packed = next == segments->at && segments->entry < segments->end;
    segments->size = segments->is_packed ? segments->entry++->size : next - segments->at;
    return segments->size != 0;
}

GM_COLD uint32_t gm_state_in_file(const gm_session *session, uint32_t encoding)
{
    uint32_t size = 0;
    gm_segments segments = gm_segments_of(session, encoding);
    while (gm_next_segment(&segments)) {
        size += segments.is_packed ? gm_packed_size(segments.size) : segments.size;
    }
    return size;
}
