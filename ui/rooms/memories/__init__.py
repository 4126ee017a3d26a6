"""The memories: shelves to search, browse, edit, pin, forget and bring back."""
