"""Counts the primes in one part of the numbers below LIMIT: the part that the copy's index says."""
import json
import os

index = int(os.environ["TRAINYARD_ARRAY_INDEX"])
count = int(os.environ["TRAINYARD_ARRAY_COUNT"])
limit = int(os.environ["LIMIT"])

first, last = limit * index // count, limit * (index + 1) // count
primes = sum(1 for number in range(max(2, first), last) if all(number % divisor for divisor in range(2, int(number**0.5) + 1)))

folder = os.environ["CHECKPOINT_PATH"]
os.makedirs(folder, exist_ok=True)
with open(os.path.join(folder, "result.json"), "w") as file:
    json.dump({"first": first, "last": last, "primes": primes}, file)
print(f"part {index + 1} of {count}: {primes} primes from {first} to {last - 1}", flush=True)
