test_slots_of_the_workers_that_live_are_added_up() {
  cp "$programs/local/discover-hosts.sh" discover_hosts.sh
  echo 3 > slots
  equals "$($shell ./discover_hosts.sh)" ''
  echo $$ > a.pid
  echo $$ > b.pid
  # Nobody has this number.
  echo 99999999 > c.pid
  equals "$($shell ./discover_hosts.sh)" 127.0.0.1:6
}

test_a_command_for_a_host_runs_here() {
  cp "$programs/local/run-on-host.sh" run-on-host.sh
  equals "$($shell ./run-on-host.sh -x -o BatchMode=yes -p 22 host 'echo "$TMPDIR" |' "sed 's#.*/pods/mpi-.*#here#'")" here
}

test_the_watchdog_ends_groups_that_are_left() {
  command -v setsid >/dev/null || return 0
  setsid sleep 60 > /dev/null 2>&1 &
  left=$!
  setsid sleep 60 > /dev/null 2>&1 &
  done=$!
  until_true kill -0 "-$left"
  printf '+ %s\n+ %s\n- %s\n' "$left" "$done" "$done" | ZERO=tag run local/watchdog.sh
  code=0
  wait "$left" || code=$?
  equals "$code" 137
  kill -0 "$done"
  kill "$done"
}

test_the_watchdog_finds_processes_by_the_tag_of_its_run() {
  [ -d /proc/self ] || return 0
  TRAINYARD_PROCESS_TAG=run-7/1 sleep 60 > /dev/null 2>&1 &
  own=$!
  TRAINYARD_PROCESS_TAG=run-8/1 sleep 60 > /dev/null 2>&1 &
  other=$!
  sleep 0.2
  ZERO=run-7 run local/watchdog.sh < /dev/null
  code=0
  wait "$own" || code=$?
  equals "$code" 137
  kill -0 "$other"
  kill "$other"
}
