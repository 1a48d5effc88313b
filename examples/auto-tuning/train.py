"""A model small enough for seconds: a cubic polynomial, fitted to noisy points of a sine by stochastic gradient descent.

The learning rate and the batch size come as arguments, the number of epochs from the environment. The last line with val_loss=NUMBER is the
objective of the trial. Nothing beside Python is needed.
"""
import argparse
import math
import os
import random

parser = argparse.ArgumentParser()
parser.add_argument('--learning-rate', type=float, required=True)
parser.add_argument('--batch-size', type=int, required=True)
options = parser.parse_args()
epochs = int(os.environ.get('EPOCHS', '40'))

# The same data in every trial; only the hyperparameters differ.
data = random.Random(0)
points = [(x, math.sin(3 * x) + data.gauss(0, 0.1)) for x in (data.uniform(-1, 1) for _ in range(240))]
training, validation = points[:200], points[200:]
weights = [0.0, 0.0, 0.0, 0.0]


def predict(x):
    return sum(weight * x**power for power, weight in enumerate(weights))


def loss(sample):
    return sum((predict(x) - y) ** 2 for x, y in sample) / len(sample)


order = random.Random(1)
for epoch in range(1, epochs + 1):
    order.shuffle(training)
    for start in range(0, len(training), options.batch_size):
        batch = training[start:start + options.batch_size]
        errors = [(predict(x) - y, x) for x, y in batch]
        for power in range(len(weights)):
            gradient = 2 * sum(error * x**power for error, x in errors) / len(batch)
            weights[power] -= options.learning_rate * gradient
    if epoch % 10 == 0 or epoch == epochs:
        print(f'epoch={epoch}/{epochs} val_loss={loss(validation):.6f}', flush=True)
