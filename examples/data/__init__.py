"""Real data, one loader a file. Each says where its data comes from, under which licence, and what installs it."""
