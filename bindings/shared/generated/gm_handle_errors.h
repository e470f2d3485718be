/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_HANDLE_ERRORS_H
#define GM_HANDLE_ERRORS_H

enum gm_handle_error {
    GM_ERR_CLOSED = -101, /* the session is closed */
    GM_ERR_IN_USE = -102, /* another thread is in a call of this session */
    GM_ERR_WRONG_DTYPE = -103, /* the data's type is not the tensor's */
    GM_ERR_NO_MEMORY = -104, /* there is no memory for another session */
    GM_ERR_NO_FMA = -105, /* this CPU has no fused multiply-add, which the profile fused needs */
    GM_ERR_NO_LIBRARY = -106, /* the library with this profile's runtime does not load */
    GM_ERR_WRONG_COUNT = -107, /* the program takes a different number of arrays */
    GM_ERR_FROZEN = -108, /* some weights do not train, and an image has those as constants */
};

#endif
