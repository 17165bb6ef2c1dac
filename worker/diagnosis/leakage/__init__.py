"""Queries that are not new: said before, said elsewhere, or copied from a document."""
