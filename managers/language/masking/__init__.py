"""What tells who somebody is, found in any text, and what stands in its place where words leave."""
