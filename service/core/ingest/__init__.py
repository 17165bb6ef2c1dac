"""From an uploaded body to a checked, normalised and hashed test set, one query at a time."""
