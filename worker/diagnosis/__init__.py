"""Findings about a run that its numbers alone would hide."""
