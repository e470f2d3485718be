"""A model of the cycles that a program takes on a Cortex-M core, from what an emulator executed of it.

An emulator counts machine instructions, and those are no cycles: on a Cortex-M4 a VFMA takes three, a
VADD one. model.py joins three things:

- executed.py: how often each block of code ran, and after which block. A plugin of the emulator
  (edges_plugin.c, built by plugin.py) counts that, in the same run that counts instructions.
- disassembly.py: the machine code of these blocks, as objdump shows it. decoding.py tells what each
  instruction reads and writes, and which kind it is of.
- timings.py: how many cycles each kind takes. cores.py reads that from a table of the core
  (tables/*.toml), which has the source beside each number. single_issue.py and dual_issue.py let the
  instructions pass in order, and registers.py keeps when their results are ready.

costs.py adds up, and turns.py tells the cycles of a loop from its code alone.

What the model does not know are wait states of flash, caches, and other masters of the bus: all memory
answers at once. Timings that nobody published are assumed, and the tables say so. micro/ has loops
whose cycles tell the timings: micro_firmware.py and on_board.py measure them on a real part, and
calibration.py reads the timings from that.
"""
