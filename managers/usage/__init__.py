"""What models were asked for, what it cost, and the caps that are never passed."""
