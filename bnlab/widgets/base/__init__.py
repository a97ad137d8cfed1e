"""What all widgets share."""
