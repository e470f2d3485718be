# MicroPython's port for QEMU on the machine mps2-an386, a Cortex-M4 with FPU. The port itself has
# only boards without FPU.
#
#     make -C ports/qemu BOARD_DIR=.../bindings/micropython/boards/MPS2_AN386 USER_C_MODULES=.../bindings/micropython
QEMU_ARCH = arm
QEMU_MACHINE = mps2-an386
MICROPY_HEAP_SIZE ?= 1048576

CFLAGS += -mthumb -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard
CFLAGS += -DQEMU_SOC_MPS2
CFLAGS += -DMICROPY_HW_MCU_NAME='"Cortex-M4F"'
CFLAGS += -DMP_CONFIGFILE='<mpconfig_an386.h>' -I$(BOARD_DIR)

LDSCRIPT = $(BOARD_DIR)/board.ld
LDFLAGS += -mthumb -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard -Wl,--wrap=uart_init

# Found through USER_C_MODULES.
SRC_BOARD_O = shared/runtime/gchelper_native.o shared/runtime/gchelper_thumb2.o boards/MPS2_AN386/board.o

MICROPY_VFS_LFS2 = 1
FROZEN_MANIFEST = $(BOARD_DIR)/../../manifest.py

MPY_CROSS_FLAGS += -march=armv7emsp
