"""Names of the package are loaded on demand. If a dependency is missing, the error names it.

It was a RecursionError: the failed import was tried again as an attribute of the package, without end.
"""

import subprocess
import sys

import gradmote

PROGRAM = """
import sys
sys.modules["onnx_ir"] = None  # as if it were not installed
import gradmote
for name in sys.argv[1:]:
    try:
        getattr(gradmote, name)
    except ModuleNotFoundError as error:
        print(name, error.name)
    else:
        print(name, "loaded")
"""


def test_each_name_of_the_package_is_loaded_or_names_what_it_lacks() -> None:
    command = [sys.executable, "-c", PROGRAM, *gradmote.__all__]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = dict(line.split() for line in done.stdout.splitlines())
    assert found.keys() == set(gradmote.__all__) and set(found.values()) == {"loaded", "onnx_ir"}
    assert found["optimizers"] == found["compile_model"] == "onnx_ir"
