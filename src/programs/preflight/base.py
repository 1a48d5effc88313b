# Checks a node, and the network between nodes, before training. Settings: TRAINYARD_PREFLIGHT, JSON.
import json
import os
import subprocess
import sys

SETTINGS = json.loads(os.environ['TRAINYARD_PREFLIGHT'])
RANK, SIZE, TIMEOUT = SETTINGS['rank'], SETTINGS['size'], SETTINGS['timeoutSeconds']
MESSAGE_FILE = sys.argv[1]
waits_for = {'text': 'the checks of this node', 'blames': [RANK]}


class Failed(Exception):
    def __init__(self, message, blames=None):
        Exception.__init__(self, message)
        self.blames = [RANK] if blames is None else blames


def say(text):
    print('preflight: ' + text, flush=True)


def report(message, blames):
    say('FAILED: ' + message)
    try:
        with open(MESSAGE_FILE, 'w') as file:
            json.dump({'message': message[:1500], 'blames': sorted(blames)[:256]}, file)
    except OSError as error:
        say('could not write %s: %s' % (MESSAGE_FILE, error))


def run(*command, seconds=60):
    """Output of a program; None when it is not there."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=min(seconds, TIMEOUT), universal_newlines=True)
    except FileNotFoundError:
        return None
    except subprocess.TimeoutExpired:
        raise Failed('%s did not answer within %d s' % (command[0], min(seconds, TIMEOUT)))
    if done.returncode != 0:
        raise Failed('%s failed with exit code %d: %s' % (' '.join(command[:2]), done.returncode, done.stdout.strip()[-600:]))
    return done.stdout
