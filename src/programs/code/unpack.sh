# Checks an archive against its digest and unpacks it: sh code.sh ARCHIVE DIGEST FOLDER
set -eu
archive=$1 digest=$2 folder=$3

fail() { echo "code: $1" >&2; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }
# The part of Python is a program beside this one.
with_python() { if has python3; then python3 -I -S "${0%/*}/unpack.py" "$@"; else python -I -S "${0%/*}/unpack.py" "$@"; fi; }
has_python() { has python3 || has python; }
content() {
  if [ -r "$archive" ]; then cat "$archive"; return; fi
  part=0
  while [ -r "$archive.$part" ]; do cat "$archive.$part"; part=$((part + 1)); done
}

[ -r "$archive" ] || [ -r "$archive.0" ] || fail "there is no archive at $archive; does the ConfigMap have the key ${archive##*/}?"
if has sha256sum; then
  found=$(content | sha256sum)
elif has openssl; then
  found=$(content | openssl dgst -sha256 -r)
elif has_python; then
  found=$(content | with_python)
else
  fail "the image has no sha256sum, no openssl and no python3; name one that has in spec.code.fetchImage, such as busybox"
fi
found=${found%% *}
found=sha256:${found#sha256:}
[ "$found" = "$digest" ] || fail "the archive has the digest $found, and the job asks for $digest: it is another one, or it was changed"

mkdir -p "$folder"
if has tar && has gzip; then
  content | tar -xzof - -C "$folder" || fail "the archive cannot be unpacked into $folder"
elif has_python; then
  content | with_python "$folder" || fail "the archive cannot be unpacked into $folder"
else
  fail "the image has no tar with gzip and no python3; name one that has in spec.code.fetchImage, such as busybox"
fi
echo "code: $digest is in $folder"
