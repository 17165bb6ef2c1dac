"""Tells receivers that runs have ended, beside the jobs and never in their way."""
