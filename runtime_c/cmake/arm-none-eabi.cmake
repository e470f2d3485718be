# A toolchain file for Arm's bare boards: cmake --toolchain runtime_c/cmake/arm-none-eabi.cmake
# GRADMOTE_CPU has the flags of the processor.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES GRADMOTE_CPU)
set(GRADMOTE_CPU "-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard" CACHE STRING "Flags of the processor")
set(CMAKE_C_FLAGS_INIT "${GRADMOTE_CPU}")
set(CMAKE_CXX_FLAGS_INIT "${GRADMOTE_CPU}")
