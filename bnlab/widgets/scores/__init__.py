"""`ScorePanel`: compare networks under every score."""
