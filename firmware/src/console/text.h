/* Text on the serial line, and numbers in it. */
#ifndef TEXT_H
#define TEXT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void text_put(const char *text);
void text_line(const char *text); /* followed by CR LF */
void text_u32(uint32_t value);
void text_i32(int32_t value);
void text_hex(uint32_t value);    /* 8 digits */

/* Prints `size` bytes as base64 (RFC 4648), padded to groups of four characters. */
void text_base64(const uint8_t *data, uint32_t size);

/* Prints six decimals from 1e-4 up to 1e7; outside, one digit, six decimals and an exponent. The
 * last digit may be off by one: the console is for people, and the binary protocol sends exact
 * values. */
void text_f32(float value);

/* Reads the whole text as a number. Returns 1 and sets *out, or returns 0. */
int text_parse_u32(const char *text, uint32_t *out);

/* As text_parse_u32(), with decimal point and exponent. Correctly rounded for up to 7 digits and
 * powers of ten from 1e-10 to 1e10. */
int text_parse_f32(const char *text, float *out);

#ifdef __cplusplus
}
#endif

#endif
