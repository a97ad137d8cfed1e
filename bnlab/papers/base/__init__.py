"""What all reproductions share: experiments, grids of runs, records, verdicts, and the board that shows them."""
