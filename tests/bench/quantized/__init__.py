"""Int8 networks: which ones are taken, how well they learn, and in how much memory.

    cd tests && python -m bench.quantized COMMAND

Each command is a module of the folder `commands`, and has its own --help.
"""
