"""The studio page on this computer: where its files are, and the server that the command runs."""
