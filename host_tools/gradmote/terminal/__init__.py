"""Text and tables on a terminal."""
