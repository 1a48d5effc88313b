#!/bin/sh
# Called by mpirun in place of ssh: drops ssh's options and the host, and runs the command on this machine.
while [ $# -gt 0 ]; do
  case "$1" in
    -[bcDEeFIiJLlmOopQRSWw]) shift 2 ;;
    -*) shift ;;
    *) break ;;
  esac
done
shift
# Hosts share no folder for temporary files. Daemons that share one make the same folders in it at the same moment, and Open MPI takes that for a failure.
pods=$(dirname "$0")/pods
mkdir -p "$pods" && TMPDIR=$(mktemp -d "$pods/mpi-XXXXXX") || exit
export TMPDIR
exec /bin/sh -c "$*"
