"""Variants of queries, and the report on what they did."""
