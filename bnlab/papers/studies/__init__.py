"""Studies beside the papers: the leaderboard, missing values, calibration, running times."""
