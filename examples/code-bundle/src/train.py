"""Fits a line to points. Each replica has points of its own; the files come from a bundle, and the image is Python's own."""
import os

from line import fit, points

rank = int(os.environ["RANK"])
slope, intercept = fit(points(seed=rank))
print(f"rank {rank}: y = {slope:.2f} x + {intercept:.2f}")
