"""An actor: plays by the learner's policy, and sends what came of it. It plays until somebody ends it."""
import json
import os
import random
import time
import urllib.request

learner = "http://" + os.environ["TRAINYARD_PRIMARY_HOSTS"].split(",")[0]
index = int(os.environ["TRAINYARD_REPLICA_INDEX"])
chance = random.Random(index)


def play(arm):
    """The world: the arm with the number 7 pays most."""
    return chance.gauss(1.0 if arm == 7 else 0.5 - 0.05 * abs(arm - 7), 0.5)


print(f"actor {index} plays for {learner}", flush=True)
while True:
    try:
        with urllib.request.urlopen(learner) as answer:
            policy = json.load(answer)
        arms = chance.choices(range(len(policy)), policy, k=10)
        urllib.request.urlopen(learner, json.dumps([(arm, play(arm)) for arm in arms]).encode()).close()
    except OSError:
        # The learner is still to come, or has just left.
        time.sleep(0.1)
