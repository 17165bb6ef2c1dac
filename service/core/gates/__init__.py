"""Gates: read a gate, gather what it is held against, decide, and render the verdict."""
