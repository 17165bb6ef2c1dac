"""Use cases, without framework or Redis."""
