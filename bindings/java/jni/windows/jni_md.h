/* What jni.h takes from a JDK for Windows on x86-64, for compilers on other systems. */
#ifndef GM_JNI_MD_H
#define GM_JNI_MD_H

#include <stdint.h>

#define JNIEXPORT __declspec(dllexport)
#define JNIIMPORT __declspec(dllimport)
#define JNICALL

typedef int32_t jint;
typedef long long jlong;
typedef signed char jbyte;

#endif
