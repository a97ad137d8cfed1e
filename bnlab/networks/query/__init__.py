"""Questions to a network: joint distributions, best explanations, predictions of rows, estimates, sensitivity."""
