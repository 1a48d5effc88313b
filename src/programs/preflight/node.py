# What the preflight checks of this node alone: that the driver answers, and that the devices are there and compute.
import glob
import importlib.util
import sys

from .base import SETTINGS, TIMEOUT, Failed, run, say


def query(*fields):
    """What nvidia-smi says of each GPU; None for fields that it does not know."""
    try:
        text = run('nvidia-smi', '--query-gpu=' + ','.join(fields), '--format=csv,noheader,nounits')
    except Failed:
        return None
    return text and [[value.strip() for value in line.split(',')] for line in text.strip().split('\n')]


TORCH_CHECK = '''
import torch
count = torch.cuda.device_count()
for index in range(count):
    device = torch.device("cuda", index)
    ones = torch.ones(256, 256, device=device)
    total = float((ones @ ones).sum())
    if total != 256.0 ** 3:
        raise SystemExit("GPU %d computes %r, expected %r" % (index, total, 256.0 ** 3))
print(count)
'''


def has_torch():
    try:
        return importlib.util.find_spec('torch') is not None
    except (ImportError, ValueError):
        return False


def count_devices():
    """How many devices are seen, and by whom; (None, None) when nothing here can tell."""
    # Also the check that the driver answers at all: a GPU that has fallen off the bus makes this fail.
    text = run('nvidia-smi', '--list-gpus')
    if text is not None:
        return len([line for line in text.split('\n') if line.startswith('GPU ')]), 'nvidia-smi'
    if has_torch():
        return int(run(sys.executable, '-c', TORCH_CHECK, seconds=TIMEOUT).strip().split('\n')[-1]), 'torch'
    nodes = glob.glob('/dev/nvidia[0-9]*')
    return (len(nodes), '/dev') if nodes else (None, None)


def check_devices(wanted):
    seen, by = count_devices()
    if seen is None:
        say('%d devices wanted; neither nvidia-smi nor torch is in the image, so they are not checked' % wanted)
        return
    if 'mig-' not in SETTINGS.get('deviceResource', '') and seen < wanted:
        raise Failed('the replica asks for %d devices, and %s sees %d' % (wanted, by, seen))
    if by == 'nvidia-smi':
        for index, errors in query('index', 'ecc.errors.uncorrected.volatile.total') or []:
            if errors.isdigit() and int(errors) > 0:
                raise Failed('GPU %s has %s uncorrected memory errors (ECC)' % (index, errors))
        for index, failed in query('index', 'remapped_rows.failure') or []:
            if failed in ('1', 'Yes'):
                raise Failed('GPU %s could not replace a bad memory row (remapped_rows.failure)' % index)
        if has_torch():
            run(sys.executable, '-c', TORCH_CHECK, seconds=TIMEOUT)
    say('%d devices seen by %s' % (seen, by))
