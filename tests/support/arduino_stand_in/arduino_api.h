/* What every core of Arduino has: https://docs.arduino.cc/language-reference */
#ifndef ARDUINO_API_H
#define ARDUINO_API_H

#include <stddef.h>
#include <stdint.h>

unsigned long millis(void);
unsigned long micros(void);
void delay(unsigned long ms);
void setup(void);
void loop(void);

class StandInSerial
{
  public:
    void begin(unsigned long baud);
    int available();
    int read();
    size_t write(const uint8_t *buffer, size_t size);
    void flush();
    operator bool();
    size_t setRxBufferSize(size_t size); /* of the ESP32's */
};

extern StandInSerial Serial;

#endif
