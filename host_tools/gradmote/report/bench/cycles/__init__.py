"""A model of the cycles of a program on a Cortex-M core, based on an emulator's record of its execution.

An emulator counts machine instructions, which are not cycles: on a Cortex-M4 a VFMA takes three
cycles, a VADD one. model.py combines three things:

- executed.py: how often each block of code ran, and after which block. A plugin for the emulator
  (edges_plugin.c, built by plugin.py) counts that, in the same run that counts instructions.
- disassembly.py: the machine code of these blocks, from objdump. decoding.py determines the registers
  that each instruction reads and writes, and its kind.
- timings.py: how many cycles each kind takes. cores.py reads that from a table of the core
  (tables/*.toml), which states the source of each number. pipelines.py runs the instructions in order,
  and tracks when their results are ready.

costs.py adds up, and computes the cycles of a loop from its code alone.

The model ignores wait states of flash, caches, and other bus masters: all memory answers at once.
Timings that nobody has published are assumed, and the tables say so. micro/ has loops whose cycles
reveal the timings: on_board.py measures them on a real part, and calibration.py derives the timings.
"""
