"""Helpers that all other code may use: compilation, interrupts, threads, memory, names, lazy imports."""
