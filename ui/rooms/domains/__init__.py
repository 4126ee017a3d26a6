"""The knowledge that personas of a domain share."""
