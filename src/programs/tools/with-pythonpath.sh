tools=$1
shift
PYTHONPATH="$tools${PYTHONPATH:+:$PYTHONPATH}"
export PYTHONPATH
exec "$@"
