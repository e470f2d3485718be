"""How good predictions are, counted batch by batch: of classes, of one score, of numbers."""
