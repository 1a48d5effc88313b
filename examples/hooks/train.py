"""Finds the line through the points."""
import json
import os
import pathlib

folder = pathlib.Path(os.environ["CHECKPOINT_PATH"])
points = json.loads((folder / "data.json").read_text())
slope = offset = 0.0
for _ in range(5000):
    for x, y in points:
        error = slope * x + offset - y
        slope -= 0.01 * error * x
        offset -= 0.01 * error
(folder / "model.json").write_text(json.dumps({"slope": slope, "offset": offset}))
print(f"y = {slope:.2f} x + {offset:.2f}")
