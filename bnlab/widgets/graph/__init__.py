"""`NetworkGraph`: a network to view, query and edit."""
