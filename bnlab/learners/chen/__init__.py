"""Chen's self-annealing search (Matuszak and Miekisz 2012)."""
