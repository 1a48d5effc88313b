/**
 * The program of the init container where the archive comes as a ConfigMap. POSIX shell, for whatever image there is: what it needs is in busybox
 * and in nearly every other one (`tar`, `gzip`, `sha256sum`), and where one of them is missing Python does its part.
 */

/** Run as `sh code.sh ARCHIVE DIGEST FOLDER`. */
export const UNPACK_SCRIPT = `# Checks an archive against its digest and unpacks it: sh code.sh ARCHIVE DIGEST FOLDER
set -eu
archive=$1 digest=$2 folder=$3

fail() { echo "code: $1" >&2; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }
with_python() { if has python3; then python3 -I -S "$@"; else python -I -S "$@"; fi; }
has_python() { has python3 || has python; }

[ -r "$archive" ] || fail "there is no archive at $archive; does the ConfigMap have the key \${archive##*/}?"
if has sha256sum; then
  found=$(sha256sum < "$archive")
elif has openssl; then
  found=$(openssl dgst -sha256 -r < "$archive")
elif has_python; then
  found=$(with_python -c 'import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())' < "$archive")
else
  fail "the image has no sha256sum, no openssl and no python3; name one that has in spec.code.fetchImage, such as busybox"
fi
found=sha256:\${found%% *}
[ "$found" = "$digest" ] || fail "the archive has the digest $found, and the job asks for $digest: it is another one, or it was changed"

mkdir -p "$folder"
if has tar && has gzip; then
  tar -xzof "$archive" -C "$folder" || fail "the archive cannot be unpacked into $folder"
elif has_python; then
  with_python -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])' "$archive" "$folder" || fail "the archive cannot be unpacked into $folder"
else
  fail "the image has no tar with gzip and no python3; name one that has in spec.code.fetchImage, such as busybox"
fi
echo "code: $digest is in $folder"
`;
