"""Small helpers below everything: compilation, interrupts, threads, memory, names, lazy imports."""
