"""Prints the named environment variables of a rank that mpirun has started, as one line of JSON."""
import json
import os
import sys

line = json.dumps({name: os.environ.get(name) for name in sys.argv[1:]})
# One write, so that the lines of processes that share an output do not run into each other.
sys.stdout.write(line + '\n')
