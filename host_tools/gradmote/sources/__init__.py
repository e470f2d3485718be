"""The C sources that projects get, and that firmware is built from."""
