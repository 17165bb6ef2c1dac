"""Everything that computes or calls a user's endpoint."""
