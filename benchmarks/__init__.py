"""bnlab beside other packages, in one run: ``python -m benchmarks.run`` (see README.md). Not part of the library."""
