"""What moves a persona, and how it heard the user."""
