"""Points near the line y = 3 x + 1, and the line that fits them best."""
import random


def points(seed, count=200):
    numbers = random.Random(seed)
    for _ in range(count):
        x = numbers.uniform(0, 10)
        yield x, 3 * x + 1 + numbers.gauss(0, 1)


def fit(data):
    data = list(data)
    mean_x = sum(x for x, _ in data) / len(data)
    mean_y = sum(y for _, y in data) / len(data)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in data) / sum((x - mean_x) ** 2 for x, _ in data)
    return slope, mean_y - slope * mean_x
