"""A gateway: a long-lived process that owns devices, and does what a server asks of them, once."""
