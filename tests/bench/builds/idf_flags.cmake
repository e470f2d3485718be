# What ESP-IDF 5 compiles with for an ESP32-C3, and what links a program for QEMU's riscv32 virt instead.
set(idf_flags --specs=picolibc.specs -march=rv32imc -mabi=ilp32 -ffunction-sections -fdata-sections -Wall
    -Werror=all -Wno-error=unused-function -Wno-error=unused-variable -Wno-error=unused-but-set-variable
    -Wno-error=deprecated-declarations -Wextra -Wno-error=extra -Wno-unused-parameter -Wno-sign-compare -Og
    -fno-shrink-wrap -fstrict-volatile-bitfields -fno-jump-tables -fno-tree-switch-conversion -std=gnu17
    -Wno-old-style-declaration)
set(virt_link_flags -march=rv32imc -mabi=ilp32 --specs=picolibc.specs --crt0=semihost --oslib=semihost
    -Wl,--gc-sections -Wl,--defsym=__flash=0x80000000 -Wl,--defsym=__flash_size=4M -Wl,--defsym=__ram=0x80400000
    -Wl,--defsym=__ram_size=4M -Wl,--defsym=__stack_size=16K)
