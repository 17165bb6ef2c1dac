"""What a judge's answers are worth: read strictly, measured against people, corrected by them."""
