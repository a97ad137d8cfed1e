"""`Workbench`: from a data file to a network and a report."""
