"""A gateway: a long-lived process that owns devices, and performs each task of a server once."""
