"""What the documentation's reference is written from: the code itself."""
