"""Render runtime_c/spec/*.toml into C, Python and documentation: `python -m render` from site_scons/."""
