"""Turns the outcomes of a run into its report."""
