# The program beside others, as its ConfigMap has it.
given() {
  mkdir source tools
  echo trained > source/train.py
  tar -czf archive.tar.gz -C source .
  digest=sha256:$(sha256sum < archive.tar.gz | cut -d ' ' -f 1)
  cp "$programs/code/unpack.sh" tools/code.sh
  # Stands for the part of Python, which is tested as such.
  echo 'import sys; print("python", *sys.argv[1:])' > tools/unpack.py
}
unpacked() { $shell tools/code.sh "$@"; }

test_an_archive_is_unpacked() {
  given
  equals "$(unpacked archive.tar.gz "$digest" 'to here')" "code: $digest is in to here"
  equals "$(cat 'to here/train.py')" trained
}

test_parts_are_one_archive() {
  given
  head -c 50 archive.tar.gz > archive.tar.gz.0
  tail -c +51 archive.tar.gz > archive.tar.gz.1
  rm archive.tar.gz
  unpacked archive.tar.gz "$digest" to
  exists to/train.py
}

test_another_digest_is_refused_before_anything_is_unpacked() {
  given
  equals "$(code_of unpacked archive.tar.gz sha256:0 to)" 1
  contains "$(cat output)" "the archive has the digest $digest, and the job asks for sha256:0"
  [ ! -e to ] || fail 'something was unpacked'
}

test_a_missing_archive_is_told() {
  given
  equals "$(code_of unpacked nothing "$digest" to)" 1
  contains "$(cat output)" 'there is no archive at nothing'
}

test_an_image_without_tools_is_told() {
  # Its own tools are always there.
  [ "$shell" != 'busybox sh' ] || return 0
  given
  mkdir bin
  ln -s "$(command -v cat)" bin/cat
  equals "$(PATH=$PWD/bin code_of "$(command -v "${shell%% *}")" ${shell#"${shell%% *}"} tools/code.sh archive.tar.gz "$digest" to)" 1
  contains "$(cat output)" 'name one that has in spec.code.fetchImage'
}
