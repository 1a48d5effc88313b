port=$1 idle=$2 step=$3 keep=$4 hint=$5
shift 5
if ! command -v "$1" >/dev/null 2>&1; then
  echo "workspace: this image has no '$1'. $hint" >&2
  exit 127
fi
state="$(printf ':%04X:01' "$port")"
connected() {
  for table in /proc/net/tcp /proc/net/tcp6; do
    [ -r "$table" ] || continue
    while read -r _ local _ status _; do
      case "$local:$status" in *"$state") return 0 ;; esac
    done <"$table"
  done
  return 1
}
"$@" &
server=$!
stop() {
  kill -TERM "$server" 2>/dev/null
  wait "$server"
  exit 0
}
trap stop TERM INT
quiet=0
while kill -0 "$server" 2>/dev/null; do
  sleep "$step" &
  wait $!
  if connected || [ -e "$keep" ]; then
    quiet=0
  else
    quiet=$((quiet + step))
  fi
  if [ "$idle" -gt 0 ] && [ "$quiet" -ge "$idle" ]; then
    echo "workspace: no connection for $quiet seconds: stopping"
    stop
  fi
done
wait "$server"
