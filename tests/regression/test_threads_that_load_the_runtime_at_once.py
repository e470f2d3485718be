"""A thread that opened a session while another one was importing the runtime found that half imported."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys, threading, time, types
from gradmote_runtime import library

real = library.import_module
def slow(name):
    sys.modules[name] = types.ModuleType(name)  # as an extension module is while it is executed: without a spec
    time.sleep(0.2)
    del sys.modules[name]
    return real(name)

library.import_module, found = slow, []
def load():
    try:
        found.append(library.load("strict"))
    except Exception as error:
        found.append(error)
threads = [threading.Thread(target=load) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(sum(item is found[0] and hasattr(item, "lib") for item in found))
"""


def test_all_threads_get_the_one_module() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "4"
