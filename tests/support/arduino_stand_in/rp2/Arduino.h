/* earlephilhower/arduino-pico, cores/rp2040/RP2040Support.h */
#pragma once
#include "../arduino_api.h"

class RP2040
{
  public:
    void reboot();
};
extern RP2040 rp2040;
