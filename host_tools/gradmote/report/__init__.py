"""What is shown of a model: where its memory and time go, in tables and pictures."""
