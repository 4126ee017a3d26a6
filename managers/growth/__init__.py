"""How a persona grows: what its talks come to, and what is made of that."""
