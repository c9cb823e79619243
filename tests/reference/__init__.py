"""Slow, obvious engines written from the rules alone: the oracles the compiled kernels are compared with."""
