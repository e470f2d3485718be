"""The C sources for projects and for firmware."""
