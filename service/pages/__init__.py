"""Pages for people: rendered on the server, useful without a script, nothing from elsewhere."""
