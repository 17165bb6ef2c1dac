"""Why ids do not meet, and what would make them: nothing found here is ever applied by itself."""
