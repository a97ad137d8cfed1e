"""Questions to a network: evidence, posteriors, best explanations, predictions of rows, estimates, sensitivity."""
