# The part of code.sh for images that lack a tool: python3 unpack.py [FOLDER], with the archive as input. Without a folder it prints the digest.
import sys

from .archive import copied, unpack

if __name__ == '__main__':
    if len(sys.argv) > 1:
        unpack(sys.stdin.buffer, sys.argv[1])
    else:
        print(copied(sys.stdin.buffer)[0])
