# Nobody listens on port 1.
test_a_server_that_is_missing_is_told() {
  equals "$(code_of run workbench/workspace.sh 1 60 1 keep 'Use another image.' no-such-server)" 127
  equals "$(cat output)" "workspace: this image has no 'no-such-server'. Use another image."
}

test_an_idle_workspace_stops() {
  equals "$(run workbench/workspace.sh 1 1 1 keep '' sleep 60)" 'workspace: no connection for 1 seconds: stopping'
}

test_a_file_keeps_it() {
  : > keep
  run workbench/workspace.sh 1 1 1 keep '' sleep 60 > output &
  workspace=$!
  sleep 2.5
  kill -0 "$workspace"
  rm keep
  wait "$workspace"
  contains "$(cat output)" 'stopping'
}

test_a_server_that_ends_is_the_end() {
  equals "$(code_of run workbench/workspace.sh 1 0 1 keep '' sh -c 'exit 5')" 5
}

test_sessions_of_ssh_have_the_variables_of_the_container() {
  HOME=$PWD A=b
  export HOME A
  stand_in ssh-keygen ': > "$6"'
  stand_in sshd 'echo "$*"'
  contains "$(run workbench/sshd.sh 2222 /keys)" '-p 2222'
  contains "$(cat .ssh/environment)" 'A=b'
  ! grep -q '^HOME=' .ssh/environment
}
