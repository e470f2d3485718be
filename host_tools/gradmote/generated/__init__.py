# Rendered from runtime_c/spec by `scons render`; do not edit.
# fmt: off
