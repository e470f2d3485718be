#include "borrowed_input.h"

#include <string.h>

#include "image.h"

static uint8_t *first_sample(const gm_session *session)
{
    const gm_tensor *input = gm_find_tensor(session->header, UINT32_MAX, GM_ROLE_INPUT, 0);
    return session->arena + input->offset;
}

/* gm_store_of() without the NULL check: only programs of an image with a store borrow its input. */
static const gm_store *store_there(const gm_session *session)
{
    return gm_section_data(session->header, GM_SECTION_STORE);
}

void gm_borrow_input(gm_session *session)
{
    const gm_store *store = store_there(session);
    if (store->aside != GM_NONE) {
        memcpy(session->arena + store->aside, first_sample(session), gm_sample_size(store));
        session->borrowed = 1;
    }
}

void gm_return_input(gm_session *session)
{
    const gm_store *store = store_there(session);
    memcpy(first_sample(session), session->arena + store->aside, gm_sample_size(store));
    session->borrowed = 0;
}
