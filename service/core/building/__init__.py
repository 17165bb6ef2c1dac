"""Building test sets from what a team has: question-answer pages and logs of searches."""
