/* The verifier of images (docs/SPEC.md, "What is verified"). */
#ifndef GM_VERIFY_H
#define GM_VERIFY_H

#include "gradmote.h"

/* Verifies everything in an image except the size, magic and version in its header, which the
 * caller has checked. Returns GM_OK, or the code of the first check that failed. */
int gm_verify(const gm_header *header);

#endif
