"""A keyboard that suggests the next word: its vocabulary, its network, and how it learns from its owner."""
