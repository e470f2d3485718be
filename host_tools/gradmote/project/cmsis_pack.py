"""Writes what makes a CMSIS-Pack of the one source: its description, and the header with a project's options."""

from __future__ import annotations

import re
from pathlib import Path
from string import Template

from ..formats.files import make_folder, write_part
from ..sources.parts import build_module, origin

DESCRIPTION = "Gradmote.Gradmote.pdsc"
#: An option of Kconfig.options that is on or off: its name and its prompt.
_OPTION = re.compile(r'^config GRADMOTE_(\w+)\n    bool "(.*)"$', re.MULTILINE)
_HEADER = """// The runtime's options in this project; gradmote.h explains them.
// <<< Use Configuration Wizard in Context Menu >>>
// <o> Numerics profile. A device and its twin have the same bits if they have the same profile.
{profiles}#define GRADMOTE_PROFILE 0
#if GRADMOTE_PROFILE != 0
#define GM_FUSED (GRADMOTE_PROFILE == 2)
#endif
{switches}// <<< end of configuration section >>>
"""


def write_pack(folder: Path) -> None:
    """Write the description beside gradmote.c, and the options into a folder in which compilers do not look."""
    source, options = origin() / "runtime_c" / "cmsis_pack", folder / "cmsis_pack"
    description = Template((source / DESCRIPTION).read_text()).substitute(version=build_module("amalgamate").version())
    write_part(folder / DESCRIPTION, description.encode())
    make_folder(options)
    write_part(options / "gradmote_options.h", options_header().encode())


def options_header() -> str:
    """Return the options of Kconfig.options as a header with the annotations of CMSIS-Pack's configuration wizard.

    A box that is not checked uncomments its definition.
    """
    choice, _, others = (origin() / "runtime_c" / "Kconfig.options").read_text().partition("endchoice")
    profiles = [f"//   <{value}=> {prompt}\n" for value, (_, prompt) in enumerate(_OPTION.findall(choice))]
    switches = [f"// <!c1> {prompt}\n//#define GM_{name} 0\n// </c>\n" for name, prompt in _OPTION.findall(others)]
    return _HEADER.format(profiles="".join(profiles), switches="".join(switches))
