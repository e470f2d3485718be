#include "console/text.h"

#include <stddef.h>

#include "board.h"

void text_put(const char *text)
{
    while (*text) {
        board_uart_put((uint8_t)*text++);
    }
}

void text_line(const char *text)
{
    text_put(text);
    text_put("\r\n");
}

/* digits: the least number to print, with leading zeros. */
static void put_decimal(uint32_t value, uint32_t digits)
{
    char text[11];
    uint32_t at = sizeof text - 1;
    text[at] = '\0';
    do {
        text[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0 || sizeof text - 1 - at < digits);
    text_put(text + at);
}

void text_u32(uint32_t value)
{
    put_decimal(value, 1);
}

void text_i32(int32_t value)
{
    if (value < 0) {
        text_put("-");
    }
    text_u32(value < 0 ? 0u - (uint32_t)value : (uint32_t)value);
}

void text_hex(uint32_t value)
{
    for (int shift = 28; shift >= 0; shift -= 4) {
        board_uart_put((uint8_t)"0123456789abcdef"[value >> shift & 15u]);
    }
}

void text_base64(const uint8_t *data, uint32_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (uint32_t i = 0; i < size; i += 3) {
        uint32_t left = size - i;
        uint32_t group =
            (uint32_t)data[i] << 16 | (left > 1 ? (uint32_t)data[i + 1] << 8 : 0) | (left > 2 ? data[i + 2] : 0);
        for (uint32_t k = 0; k < 4; ++k) {
            board_uart_put((uint8_t)(k <= left ? digits[group >> (18 - 6 * k) & 63u] : '='));
        }
    }
}

/* value: 0 <= value < 2^32. */
static void put_fixed(float value)
{
    uint32_t whole = (uint32_t)value;
    uint32_t millionths = (uint32_t)((value - (float)whole) * 1e6f + 0.5f);
    text_u32(whole + millionths / 1000000u);
    text_put(".");
    put_decimal(millionths % 1000000u, 6);
}

/* value: positive and finite. */
static void put_scientific(float value)
{
    int32_t exponent = 0;
    for (; value >= 10.0f; ++exponent) {
        value /= 10.0f;
    }
    for (; value < 1.0f; --exponent) {
        value *= 10.0f;
    }
    put_fixed(value);
    text_put("e");
    text_i32(exponent);
}

void text_f32(float value)
{
    if (value < 0.0f) {
        text_put("-");
        value = -value;
    }
    if (value != value) {
        text_put("nan");
    } else if (value > 3.402823466e38f) {
        text_put("inf");
    } else if (value == 0.0f || (value >= 1e-4f && value < 1e7f)) {
        put_fixed(value);
    } else {
        put_scientific(value);
    }
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

int text_parse_u32(const char *text, uint32_t *out)
{
    uint32_t value = 0;
    if (!is_digit(*text)) {
        return 0;
    }
    for (; is_digit(*text); ++text) {
        uint32_t digit = (uint32_t)(*text - '0');
        if (value > (0xFFFFFFFFu - digit) / 10) {
            return 0;
        }
        value = value * 10 + digit;
    }
    *out = value;
    return *text == '\0';
}

/* digits * 10^exponent */
typedef struct decimal {
    uint32_t digits;
    int32_t exponent;
} decimal;

/* Reads a number like "12.5". Returns a pointer past it, or NULL if it has no digit or too many. */
static const char *parse_mantissa(const char *text, decimal *out)
{
    int count = 0, after_point = 0;
    for (; is_digit(*text) || (*text == '.' && !after_point); ++text) {
        if (*text == '.') {
            after_point = 1;
            continue;
        }
        if (out->digits > 99999999u) {
            return NULL;
        }
        out->digits = out->digits * 10 + (uint32_t)(*text - '0');
        out->exponent -= after_point;
        ++count;
    }
    return count ? text : NULL;
}

static int parse_exponent(const char *text, int32_t *exponent)
{
    uint32_t value;
    int negative = *text == '-';
    if (negative || *text == '+') {
        ++text;
    }
    if (!text_parse_u32(text, &value) || value > 60) {
        return 0;
    }
    *exponent += negative ? -(int32_t)value : (int32_t)value;
    return 1;
}

static float power_of_ten(int32_t exponent)
{
    float power = 1.0f;
    for (; exponent > 0; --exponent) {
        power *= 10.0f;
    }
    return power;
}

int text_parse_f32(const char *text, float *out)
{
    decimal number = {0, 0};
    int negative = *text == '-';
    const char *rest = parse_mantissa(text + negative, &number);
    if (rest == NULL) {
        return 0;
    }
    if ((*rest == 'e' || *rest == 'E') ? !parse_exponent(rest + 1, &number.exponent) : *rest != '\0') {
        return 0;
    }
    float value = (float)number.digits;
    value = number.exponent < 0 ? value / power_of_ten(-number.exponent) : value * power_of_ten(number.exponent);
    *out = negative ? -value : value;
    return 1;
}
