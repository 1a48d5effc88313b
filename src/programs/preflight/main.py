# The preflight: first this node, then the network.
import os
import signal
import sys

from .base import RANK, SETTINGS, SIZE, Failed, report, say, waits_for
from .network import check_network
from .node import check_devices


def on_sigterm(_number, _frame):
    report('rank %d waited for %s' % (RANK, waits_for['text']), waits_for['blames'])
    os._exit(143)


def main():
    signal.signal(signal.SIGTERM, on_sigterm)
    if SETTINGS['devices'] > 0:
        check_devices(SETTINGS['devices'])
    if SIZE > 1:
        check_network()
    say('passed')


if __name__ == '__main__':
    try:
        main()
    except Failed as failed:
        report(str(failed), failed.blames)
        sys.exit(1)
    except Exception as error:
        report('the check itself broke: %r' % (error,), [])
        sys.exit(1)
