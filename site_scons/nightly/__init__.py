"""The long forms of tests and measurements, in stages that can be chosen, bounded and gone on with: `.ci/nightly`."""
