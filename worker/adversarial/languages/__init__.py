"""What the generators know of each language: short lists and rules, no text work."""
