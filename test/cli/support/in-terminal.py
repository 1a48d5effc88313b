"""
Runs a command in a terminal of its own. What it writes goes to standard output, and what comes on standard input is typed. At its end, standard
error has its exit code, as a shell shows it, and whether the terminal still echoes and edits lines.
"""

import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import termios


def main() -> None:
    screen, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    child = subprocess.Popen(
        sys.argv[1:],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    sources = [screen, 0]
    while True:
        ready, _, _ = select.select(sources, [], [], 0.1)
        if 0 in ready:
            typed = os.read(0, 1024)
            if typed:
                os.write(screen, typed)
            else:
                sources.remove(0)
        if screen in ready:
            os.write(1, os.read(screen, 65536))
        elif child.poll() is not None:
            break
    modes = termios.tcgetattr(terminal)[3]
    code = child.returncode if child.returncode >= 0 else 128 - child.returncode
    in_order = bool(modes & termios.ECHO and modes & termios.ICANON)
    sys.stderr.write(json.dumps({"code": code, "inOrder": in_order}))


main()
