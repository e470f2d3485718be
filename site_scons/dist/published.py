"""The address that descriptions of packages give for the project."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

#: The project's address. Maven Central, CocoaPods and NuGet's gallery ask for one; without it, descriptions have none.
URL = os.environ.get("GRADMOTE_URL", "")


def described(text: str, elements: Mapping[str, str], before: str, address: str) -> str:
    """Return an XML description with other texts of some elements, the first of each name, and with the address.

    address: what is inserted before the last `before` if there is an address, with {0} for it.
    """
    for name, value in elements.items():
        text = re.sub(rf"(<{name}>).*?(</{name}>)", lambda found: f"{found[1]}{value}{found[2]}", text, count=1)
    head, _, tail = text.rpartition(before)
    return head + (address.format(URL) if URL else "") + before + tail
