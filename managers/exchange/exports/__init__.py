"""What is handed out of a persona: the file that it goes into, and the forms that it may have."""
