"""Who a persona is, and how it knows you; a new one, copies, the trash."""
