#!/bin/sh
# Prints one line for this machine: as many slots as the workers that live have together. Beside it are their process ids, and the slots of each.
workers=0
for file in "${0%/*}"/*.pid; do
  if [ -f "$file" ] && kill -0 "$(cat "$file")" 2>/dev/null; then workers=$((workers + 1)); fi
done
[ "$workers" -eq 0 ] || echo "127.0.0.1:$((workers * $(cat "${0%/*}/slots")))"
exit 0
