"""Judgings: accepted, moved on by jobs, reviewed by people, and closed as a test set."""
