"""The learner: gives its policy to whoever asks, learns from the episodes that actors send, and ends when it has seen enough."""
import json
import math
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ARMS, EPISODES = int(os.environ["ARMS"]), int(os.environ["EPISODES"])
preferences, baseline, seen = [0.0] * ARMS, 0.0, 0
lock, done = threading.Lock(), threading.Event()


def policy():
    weights = [math.exp(preference - max(preferences)) for preference in preferences]
    return [weight / sum(weights) for weight in weights]


def learn(arm, reward):
    """One step of the gradient bandit: what was better than usual becomes more likely."""
    global baseline, seen
    probabilities = policy()
    for other in range(ARMS):
        preferences[other] += 0.1 * (reward - baseline) * ((other == arm) - probabilities[other])
    seen += 1
    baseline += (reward - baseline) / seen
    if seen % 1000 == 0:
        print(f"episode {seen}/{EPISODES}: reward {baseline:.2f}, favourite arm {probabilities.index(max(probabilities))}", flush=True)
    if seen >= EPISODES:
        done.set()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        with lock:
            self.answer(policy())

    def do_POST(self):
        episodes = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with lock:
            for arm, reward in episodes:
                learn(arm, reward)
        self.answer(seen)

    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


own = os.environ["TRAINYARD_LEARNER_HOSTS"].split(",")[0]
# In a pod the others come from other hosts; on one machine all are on loopback.
host = "127.0.0.1" if own.startswith("127.") else ""
server = ThreadingHTTPServer((host, int(os.environ["TRAINYARD_PORT"])), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
done.wait()
print(f"learned: arm {preferences.index(max(preferences))} is the best", flush=True)
