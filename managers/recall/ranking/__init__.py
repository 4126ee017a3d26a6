"""From what an index finds to what is shown: scores, neighbours, variety."""
