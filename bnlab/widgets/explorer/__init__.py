"""`EdgeExplorer`: why an edge of a skeleton is in or out."""
