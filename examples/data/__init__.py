"""Real data, one loader per file. Each names the data's origin, its licence, and the command that installs it."""
