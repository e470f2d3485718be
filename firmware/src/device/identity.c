#include "device/identity.h"

const char identity[] = CONSOLE_IDENTITY_MARK GM_BOARD_NAME;
