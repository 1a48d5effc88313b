# Runs the tests of a file: each function test_* in a shell of its own and an empty folder. SHELL_UNDER_TEST FILE FOLDER_OF_PROGRAMS
# Prints `ok NAME`, or `not ok NAME` and what was wrong in lines that begin with blanks.
shell=$1 file=$2 programs=$3

fail() { echo "$*"; exit 1; }
equals() { [ "$1" = "$2" ] || fail "is '$1' and should be '$2'"; }
contains() { case $1 in *"$2"*) ;; *) fail "is '$1' and should contain '$2'" ;; esac; }
exists() { [ -e "$1" ] || fail "there is no $1"; }
# The exit code of a command, whose output goes to the file `output`.
code_of() { code=0; "$@" > output 2>&1 || code=$?; echo "$code"; }
# A program with a name and a text, in a folder that comes first on PATH.
stand_in() {
  mkdir -p bin
  printf '#!/bin/sh\n%s\n' "$2" > "bin/$1"
  chmod +x "bin/$1"
  case $PATH in "$PWD/bin:"*) ;; *) PATH="$PWD/bin:$PATH" ;; esac
}
# Waits up to ten seconds until a command succeeds.
until_true() {
  tries=0
  until "$@" 2>/dev/null; do
    tries=$((tries + 1))
    [ "$tries" -lt 200 ] || fail "did not come true: $*"
    sleep 0.05
  done
}
# A program as its shell runs it, under a name of its own as a container's command has it.
run() { name=$1; shift; $shell -c "$(cat "$programs/$name")" "${ZERO:-zero}" "$@"; }

. "$file"
for name in $(sed -n 's/^\(test_[a-z_]*\)() .*/\1/p' "$file"); do
  folder=$(mktemp -d)
  said=$(mktemp)
  # Into a file: a pipe would be open as long as a process that the test left behind.
  if (cd "$folder" && set -e && "$name") > "$said" 2>&1; then
    echo "ok $name"
  else
    echo "not ok $name"
    sed 's/^/  /' "$said"
  fi
  rm -f "$said"
  chmod -R u+w "$folder"
  rm -rf "$folder"
done
