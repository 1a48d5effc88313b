hint=$1
shift
for python in python3 python; do
  if command -v "$python" >/dev/null 2>&1; then exec "$python" "$@"; fi
done
echo "$hint" >&2
exit 127
