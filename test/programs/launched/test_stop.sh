test_a_program_is_told_after_the_hook_and_waited_for() {
  TRAINYARD_LAUNCH_STATE=$PWD
  export TRAINYARD_LAUNCH_STATE
  sh -c 'trap "echo program >> story; exit" TERM; : > ready; while :; do sleep 0.05; done' &
  echo $! > pid
  until_true test -e ready
  run launched/stop.sh sh -c 'echo hook >> story'
  equals "$(cat story)" "hook
program"
  exists terminating
}

test_nothing_has_to_run() {
  TRAINYARD_LAUNCH_STATE=$PWD
  export TRAINYARD_LAUNCH_STATE
  equals "$(code_of run launched/stop.sh)" 0
  exists terminating
}
