/**
 * The program of the preflight container: checks this node's devices, then, where the replicas depend on each other, that all of them reach each
 * other and that an all-reduce gives the right sum.
 *
 * Who decides on time. While not everybody has come, the program waits without a limit: a peer may stand in a queue, or pull an image for a quarter
 * of an hour, and that is no node's fault. The operator sees when the checks of all replicas have begun, counts `timeoutSeconds` from there, and ends
 * the attempt. On SIGTERM the leader (rank 0) then tells who never came. From the moment when all have come the program counts by itself.
 *
 * What it finds goes into the termination message as JSON: `{"message", "blames"}`, the ranks on whose nodes the fault lies.
 *
 * The ring all-reduce is plain Python over TCP, so that any image with Python will do. Where PyTorch is in all images and the framework is built on
 * it, the real thing follows: NCCL when every replica sees its GPUs, else gloo.
 */
import { PREFLIGHT_NETWORK_CHECKS } from './preflight-network';
import { PREFLIGHT_NODE_CHECKS } from './preflight-node';

/** Variable with the settings of the check, as JSON: {@link PreflightSettings}. */
export const PREFLIGHT_VARIABLE = 'TRAINYARD_PREFLIGHT';

/** What the program is told. */
export interface PreflightSettings {
  /** Rank of the replica among those that check the network. */
  readonly rank: number;
  /** How many there are; 1 checks no network. */
  readonly size: number;
  /** Host and port of rank 0. Nothing else listens there until training starts. */
  readonly host: string;
  readonly port: number;
  /** Devices that the replica asks for. */
  readonly devices: number;
  /** What to count them by: the resource that the pod asks for. */
  readonly deviceResource?: string;
  /** Whether the framework is built on torch, so that its own collectives are worth a try. */
  readonly torch: boolean;
  readonly timeoutSeconds: number;
}

/** Run by the preflight container: `python3 preflight.py MESSAGE_FILE`. */
export const PREFLIGHT_SCRIPT = String.raw`# Checks a node, and the network between nodes, before training. Settings: ${PREFLIGHT_VARIABLE}, JSON.
import glob
import importlib.util
import ipaddress
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from array import array

SETTINGS = json.loads(os.environ['${PREFLIGHT_VARIABLE}'])
RANK, SIZE, TIMEOUT = SETTINGS['rank'], SETTINGS['size'], SETTINGS['timeoutSeconds']
VALUES = 1024
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


def on_sigterm(_number, _frame):
    report('rank %d waited for %s' % (RANK, waits_for['text']), waits_for['blames'])
    os._exit(143)


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


${PREFLIGHT_NODE_CHECKS}

${PREFLIGHT_NETWORK_CHECKS}

def main():
    signal.signal(signal.SIGTERM, on_sigterm)
    if SETTINGS['devices'] > 0:
        check_devices(SETTINGS['devices'])
    if SIZE > 1:
        check_network()
    say('passed')


try:
    main()
except Failed as failed:
    report(str(failed), failed.blames)
    sys.exit(1)
except Exception as error:
    report('the check itself broke: %r' % (error,), [])
    sys.exit(1)
`;
