"""Exports: runs and test sets in the forms that spreadsheets and other evaluators read."""
