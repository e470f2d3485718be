# Gradmote as a user C module of ports that are built by make: `make USER_C_MODULES=.../bindings/micropython`.
#   GRADMOTE_FLAGS   what `gradmote kernels --flags model.mote` prints: only the kernels of these models
#   GRADMOTE_IMAGE   a header that `gradmote header` wrote: its image stays in flash, as gradmote.image
GRADMOTE_DIR := $(USERMOD_DIR)
GRADMOTE_RUNTIME := $(abspath $(GRADMOTE_DIR)/../../../runtime_c)

SRC_USERMOD_C += $(filter-out %/libc.c,$(wildcard $(GRADMOTE_DIR)/*.c))
SRC_USERMOD_LIB_C += $(wildcard $(GRADMOTE_RUNTIME)/src/*.c $(GRADMOTE_RUNTIME)/generated/*.c)
SRC_USERMOD_LIB_C += $(wildcard $(foreach depth,* */* */*/* */*/*/*,$(GRADMOTE_RUNTIME)/kernels/$(depth).c))

CFLAGS_USERMOD += -I$(GRADMOTE_RUNTIME)/include -I$(GRADMOTE_RUNTIME)/src $(GRADMOTE_FLAGS)
# The bits depend on the first two. The runtime has its own warnings; a port's would stop the build.
CFLAGS_USERMOD += -ffp-contract=off -fno-math-errno -Wno-double-promotion -Wno-float-conversion -Wno-error
ifneq ($(GRADMOTE_IMAGE),)
CFLAGS_USERMOD += -DGRADMOTE_IMAGE='"$(GRADMOTE_IMAGE)"'
endif
