/* espressif/arduino-esp32: cores/esp32/Esp.h, Arduino.h */
#pragma once
#include "../arduino_api.h"

class EspClass
{
  public:
    void restart();
    uint32_t getSketchSize();
    uint64_t getEfuseMac();
};
extern EspClass ESP;

size_t getArduinoLoopTaskStackSize(void);
