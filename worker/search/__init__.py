"""The only code that opens a socket to a user's URL."""
