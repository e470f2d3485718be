"""Reports on a model: where its memory and time go, as tables and pictures."""
