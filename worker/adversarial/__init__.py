"""Makes the adversarial variants of a test set's queries: pure text work from a seed."""
