"""The RAM and flash that training takes, for seven networks, four schemes and two batches, beside a naive plan and
onnxruntime-training.

    cd tests && PYTHONPATH=../site_scons python -m bench.memory [--keep-onnxruntime]

writes docs/MEMORY.md.
"""
