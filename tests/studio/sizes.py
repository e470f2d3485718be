"""Print the bytes that the studio loads: `cd tests && ../.venv/bin/python -m studio.sizes`."""

from __future__ import annotations

from studio import page

#: Each group of files -> when it is loaded.
GROUPS = {
    "first": "the page opens",
    "opened": "an example is opened, and its runtime starts",
    "kept": "the service worker keeps all for use without a network",
}
Sizes = dict[str, tuple[int, int]]


def measured() -> dict[str, Sizes]:
    """Return the bytes of each file by group, plain and under brotli."""
    found = page.click("sizes.mjs")
    return {group: {name: (plain, small) for name, (plain, small) in found[group].items()} for group in GROUPS}


def total(sizes: Sizes) -> tuple[int, int]:
    return sum(plain for plain, _ in sizes.values()), sum(small for _, small in sizes.values())


def main() -> None:
    for group, sizes in measured().items():
        print(f"{GROUPS[group]:56} {'bytes':>9} {'brotli':>9}")
        for name, (plain, small) in [*sizes.items(), ("in all", total(sizes))]:
            print(f"  {name:54} {plain:9,} {small:9,}")


if __name__ == "__main__":
    main()
