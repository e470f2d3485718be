"""The commands of `gradmote federate`, each in its own file."""
