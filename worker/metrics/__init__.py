"""Ranking metrics over arrays, and what the means are worth."""
