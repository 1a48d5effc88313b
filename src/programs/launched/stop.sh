"$@"
: > "$TRAINYARD_LAUNCH_STATE/terminating"
if read -r pid < "$TRAINYARD_LAUNCH_STATE/pid"; then
  kill -TERM "$pid"
  while kill -0 "$pid" 2>/dev/null; do sleep 1; done
fi
true
