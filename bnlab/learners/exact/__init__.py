"""Networks of greatest score, with a proof: dynamic programming and cutting planes."""
