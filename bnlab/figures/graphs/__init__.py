"""Pictures of graphs: layout, drawing, and what is known of nodes and edges."""
