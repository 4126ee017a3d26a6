"""Parts of pages that several rooms show."""
