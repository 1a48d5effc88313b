"""An evaluator: looks at the policy now and then. When it dies, nobody has to care."""
import json
import os
import time
import urllib.request

learner = "http://" + os.environ["TRAINYARD_PRIMARY_HOSTS"].split(",")[0]
while True:
    try:
        with urllib.request.urlopen(learner) as answer:
            print(f"plays the best arm in {100 * json.load(answer)[7]:.0f} % of all episodes", flush=True)
    except OSError:
        pass
    time.sleep(0.5)
