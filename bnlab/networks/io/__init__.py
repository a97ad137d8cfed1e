"""Networks to and from files and other packages."""
