/* The functions of mathematics that the runtime calls with Microsoft's compiler. */
#ifndef MSVC_HEADERS_MATH_H
#define MSVC_HEADERS_MATH_H

float fmaf(float a, float b, float acc);
float sqrtf(float x);

#endif
