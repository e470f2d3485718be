/* The commands `gradmote` of Zephyr's shell (CONFIG_GRADMOTE_SHELL) work on a session of the application. They run in the
 * shell's thread, and hold `lock` while they use the session and call these functions. Your threads hold it too, from
 * gm_write() until they have read what the program computed. Functions return GM_OK or an error of gradmote.h. */
#ifndef GRADMOTE_SHELL_H
#define GRADMOTE_SHELL_H

#include <zephyr/kernel.h>

#include "gradmote.h"

extern const struct gradmote_shell {
    gm_session *session;
    struct k_mutex *lock;
    int (*write_next)(gm_session *session, uint32_t program); /* the next batch of STEP, with labels, or of INFER */
    int (*save)(const gm_session *session);
    int (*load)(gm_session *session); /* what save() kept */
} gradmote_shell; /* defined by the application */

#endif
