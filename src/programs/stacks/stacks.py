# Asks the processes that registered in FOLDER for their stacks, and writes the most telling ones into MESSAGE_FILE.
import os
import re
import sys
import time

# Bytes: a kubelet takes 4096 of a container, and 12 KiB of a pod.
LIMIT = 3500
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
    out = ['trainyard stacks: %d of %d processes' % (len(order), len(texts))]
    room = LIMIT - len(out[0]) - 1
    for position, pid in enumerate(order):
        out.append(describe(pid, texts[pid], room // (len(order) - position)))
        room -= len(out[-1].encode('utf-8')) + 1
    with open(message, 'w') as file:
        file.write('\n'.join(out) + '\n')


if __name__ == '__main__':
    try:
        main(sys.argv[1], sys.argv[2])
    except Exception as error:
        sys.stderr.write('no stacks: %r\n' % (error,))
