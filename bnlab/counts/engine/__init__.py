"""The counting engine: plans, bitmaps, histograms and tallies."""
