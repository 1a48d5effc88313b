/**
 * Stacks of hung Python programs, without a right to execute anything in pods (`pods/exec`) and without a privileged helper.
 *
 * 1. `sitecustomize.py` stands first on `PYTHONPATH`, so that every Python of the container imports it as it starts. It registers `faulthandler` on a
 *    signal, with a file of the process' own for the output: the handler is C code, which works while the interpreter waits in a collective that
 *    never ends. The name of the file says who can be asked: `PID-SIGNAL-NAMESPACE.stacks`.
 * 2. A `preStop` hook runs `stacks.py` when the pod is deleted. It signals exactly those processes that registered and still catch the signal (a
 *    process that has become another program by `exec` would die of it), waits until the stacks are written, and puts the most telling ones into the
 *    container's termination message.
 * 3. The kubelet carries that message into the pod's status before the pod is gone, and the operator keeps it with the failure.
 *
 * A real-time signal and not SIGUSR1: launchers and Slurm-minded trainers use the two user signals for themselves.
 *
 * The scripts are written for every Python from 3.6 on, and do nothing on others. No part of them may ever be the reason that a program ends, or
 * does not end.
 * @see https://docs.python.org/3/library/faulthandler.html#faulthandler.register
 * @see https://docs.python.org/3/library/site.html#module-sitecustomize
 */

/** First line of a termination message that holds stacks. */
export const STACKS_MARK = 'trainyard stacks';

/** Variable with the folder that processes register in. */
export const STACKS_PATH_VARIABLE = 'TRAINYARD_STACKS_PATH';

/** Most bytes of the message. A kubelet takes 4096 of a container, and 12 KiB of a pod. */
const MESSAGE_MAX_BYTES = 3500;

/** Imported by every Python of the container. */
export const SITECUSTOMIZE_SCRIPT = String.raw`# Put here by Trainyard, because the job has spec.debug: prepares this process to write down the stacks of its
# threads when it is asked to. Then the sitecustomize of the image is imported, which this one hides.
import os
import sys


def _register(folder, number):
    import faulthandler
    try:
        namespace = os.stat('/proc/self/ns/pid').st_ino
    except OSError:
        namespace = 0
    name = os.path.join(folder, '%d-%d-%d.stacks' % (os.getpid(), number, namespace))
    file = open(name, 'w')
    faulthandler.register(number, file=file, all_threads=True, chain=False)
    return name, file


def _prepare():
    import atexit
    import signal
    folder = os.environ.get('${STACKS_PATH_VARIABLE}')
    if not folder or not os.path.isdir(folder):
        return
    number = int(signal.SIGRTMIN) + 8 if hasattr(signal, 'SIGRTMIN') else int(signal.SIGUSR1)
    if signal.getsignal(number) != signal.SIG_DFL:
        return
    # The file has to stay open, so it is kept here.
    own = {os.getpid(): _register(folder, number)}
    if sys.executable:
        note = os.path.join(folder, 'python')
        if not os.path.exists(note):
            with open(note, 'w') as out:
                out.write(sys.executable + '\n')

    def forget():
        registered = own.pop(os.getpid(), None)
        if registered:
            try:
                os.remove(registered[0])
            except OSError:
                pass

    def forked():
        try:
            own.clear()
            own[os.getpid()] = _register(folder, number)
        except Exception:
            pass

    atexit.register(forget)
    if hasattr(os, 'register_at_fork'):
        os.register_at_fork(after_in_child=forked)


def _import_hidden():
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec
    here = os.path.dirname(os.path.abspath(__file__))
    spec = PathFinder.find_spec('sitecustomize', [path for path in sys.path if os.path.abspath(path) != here])
    if spec is not None and spec.loader is not None:
        module = module_from_spec(spec)
        sys.modules['sitecustomize'] = module
        spec.loader.exec_module(module)


try:
    _prepare()
except Exception:
    pass
_import_hidden()
`;

/** Run by the preStop hook: `python -I -S stacks.py FOLDER MESSAGE_FILE`. */
export const STACKS_SCRIPT = String.raw`# Asks the processes that registered in FOLDER for their stacks, and writes the most telling ones into MESSAGE_FILE.
import os
import re
import sys
import time

LIMIT = ${MESSAGE_MAX_BYTES}
PROCESSES = 4
FRAMES = 25
WAIT_SECONDS = 1.5


def read(path):
    with open(path, errors='replace') as file:
        return file.read()


def catches(pid, number):
    try:
        caught = re.search(r'^SigCgt:\s*([0-9a-f]+)', read('/proc/%d/status' % pid), re.M)
    except OSError:
        # No such process; or, where there is no /proc at all, nobody who could tell.
        return not os.path.isdir('/proc/self')
    return caught is not None and int(caught.group(1), 16) >> (number - 1) & 1 == 1


def parent(pid):
    try:
        return int(read('/proc/%d/stat' % pid).rsplit(')', 1)[1].split()[1])
    except (OSError, ValueError, IndexError):
        return 0


def command(pid):
    try:
        return read('/proc/%d/cmdline' % pid).replace('\0', ' ').strip()[:200]
    except OSError:
        return ''


def registered(folder):
    try:
        here = os.stat('/proc/self/ns/pid').st_ino
    except OSError:
        here = 0
    for name in sorted(os.listdir(folder)):
        match = re.match(r'^(\d+)-(\d+)-(\d+)\.stacks$', name)
        if match and int(match.group(3)) == here:
            pid, number = int(match.group(1)), int(match.group(2))
            if catches(pid, number):
                yield pid, number, os.path.join(folder, name)


def ask(processes):
    """Signals them and returns the text that each has written since."""
    asked = {}
    for pid, number, path in processes:
        try:
            start = os.path.getsize(path)
            os.kill(pid, number)
            asked[pid] = (path, start)
        except OSError:
            pass
    end = time.time() + WAIT_SECONDS
    sizes = None
    while asked and time.time() < end:
        time.sleep(0.05)
        before, sizes = sizes, [os.path.getsize(path) for path, _ in asked.values()]
        if sizes == before and all(size > start for size, (_, start) in zip(sizes, asked.values())):
            break
    return {pid: read(path)[start:] for pid, (path, start) in asked.items()}


def sections(text):
    """The stacks of each thread, the main thread's first: faulthandler writes it last."""
    found = []
    for part in re.split(r'\n?(?=^(?:Current thread|Thread) 0x)', text, flags=re.M):
        lines = [line for line in part.strip().split('\n') if line]
        if lines:
            found.append(lines[1:1 + FRAMES])
    return found[::-1]


def describe(pid, text, room):
    lines = ['process %d: %s' % (pid, command(pid))]
    for index, frames in enumerate(sections(text)):
        lines += ['main thread:' if index == 0 else 'thread:'] + frames
    kept = []
    for line in lines:
        room -= len(line.encode('utf-8')) + 1
        if room < 8:
            kept.append('...')
            break
        kept.append(line)
    return '\n'.join(kept)


def main(folder, message):
    processes = list(registered(folder))
    texts = {pid: text for pid, text in ask(processes).items() if text.strip()}
    if not texts:
        return
    # A launcher waits for its children; what those do is the news.
    parents = {parent(pid) for pid in texts}
    order = sorted(texts, key=lambda pid: (pid in parents, pid))[:PROCESSES]
    out = ['${STACKS_MARK}: %d of %d processes' % (len(order), len(texts))]
    room = LIMIT - len(out[0]) - 1
    for position, pid in enumerate(order):
        out.append(describe(pid, texts[pid], room // (len(order) - position)))
        room -= len(out[-1].encode('utf-8')) + 1
    with open(message, 'w') as file:
        file.write('\n'.join(out) + '\n')


try:
    main(sys.argv[1], sys.argv[2])
except Exception as error:
    sys.stderr.write('no stacks: %r\n' % (error,))
`;
