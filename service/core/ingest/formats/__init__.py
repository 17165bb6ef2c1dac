"""Files of other tools: what they are, told by their content, and the rows in them."""
