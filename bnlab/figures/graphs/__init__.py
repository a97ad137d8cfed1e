"""Pictures of graphs: layout, drawing, and details of nodes and edges."""
