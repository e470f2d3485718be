"""Looks at the studio: `python -m studio.picture`, in `tests`, fills build/studio-screens and makes docs/studio.png."""

from __future__ import annotations

from PIL import Image

from studio import page

GUIDE = page.ROOT / "docs" / "studio.png"
COLOURS = 64


def main() -> None:
    """Take the pictures, and keep the one of the guide in few colours."""
    page.click("look.mjs", seconds=300)
    with Image.open(page.SCREENS / "guide.png") as picture:
        picture.convert("RGB").quantize(COLOURS).save(GUIDE, optimize=True)
    print(f"{page.SCREENS}\n{GUIDE}: {GUIDE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
