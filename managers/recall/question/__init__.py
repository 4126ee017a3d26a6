"""What a question wants of the past: whether it calls for it, its words, its times, whose words, and what it takes up."""
