"""Tournaments, run files, statistics, benchmarks and the command line."""
