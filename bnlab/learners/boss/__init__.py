"""Best order score search with grow-shrink trees."""
