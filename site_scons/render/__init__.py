"""Render the spec files into C, C#, Python and documentation: `python -m render` from site_scons/."""
