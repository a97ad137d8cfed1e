"""`SearchPlayer`: run a search step by step and view its past."""
