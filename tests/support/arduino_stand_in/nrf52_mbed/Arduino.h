/* arduino/ArduinoCore-mbed */
#pragma once
#include "../arduino_api.h"
