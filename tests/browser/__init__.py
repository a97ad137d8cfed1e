"""Tests in a browser, which is one for the whole folder: fixtures of a package end with its last test."""
