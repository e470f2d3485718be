"""The studio page on this computer: its files, and the server that the command runs."""
