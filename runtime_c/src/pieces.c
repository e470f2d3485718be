#include "pieces.h"

#include "gm_image.h"

gm_pieces gm_pieces_of(const gm_session *session, uint32_t encoding)
{
    const gm_state_entry *table = gm_section_data(session->header, GM_SECTION_STATE);
    uint32_t entries = session->header->sections[GM_SECTION_STATE].size / (uint32_t)sizeof *table;
    gm_pieces pieces = { table, table + entries, encoding, session->header->state_size, 0, 0, 0 };
    return pieces;
}

int gm_next_piece(gm_pieces *pieces)
{
    pieces->at += pieces->size;
    while (pieces->entry < pieces->end && !gm_is_packed(pieces->entry, pieces->encoding, pieces->at)) {
        ++pieces->entry;
    }
    uint32_t next = pieces->entry < pieces->end ? pieces->entry->offset : pieces->state_size;
    pieces->is_packed = next == pieces->at && pieces->entry < pieces->end;
    pieces->size = pieces->is_packed ? pieces->entry++->size : next - pieces->at;
    return pieces->size != 0;
}

uint32_t gm_state_in_file(const gm_session *session, uint32_t encoding)
{
    uint32_t size = 0;
    gm_pieces pieces = gm_pieces_of(session, encoding);
    while (gm_next_piece(&pieces)) {
        size += pieces.is_packed ? gm_packed_size(pieces.size) : pieces.size;
    }
    return size;
}
