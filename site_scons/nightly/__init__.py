"""The long forms of tests and measurements, in stages that can be chosen, bounded and resumed: `.ci/nightly`."""
