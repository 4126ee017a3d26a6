"""What happens while nobody talks: dreaming, forgetting, the scheduler."""
