#include "firmware.h"

int main(void)
{
    firmware_start();
    for (;;) {
        firmware_poll();
    }
}
