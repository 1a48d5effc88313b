test_init_ends_as_its_command_does() {
  equals "$(code_of run tools/init.sh sh -c 'echo "$1"; exit 7' zero 'one two')" 7
  equals "$(cat output)" 'one two'
}

test_init_hands_the_input_on() {
  equals "$(echo hello | run tools/init.sh cat)" hello
}

test_init_passes_a_signal_on_and_waits() {
  # Not `run`: of a function in the background, the shell in between would get the signal.
  $shell -c "$(cat "$programs/tools/init.sh")" zero sh -c 'trap "echo saved > saved; exit 3" TERM; : > ready; while :; do sleep 0.05; done' &
  child=$!
  until_true test -e ready
  kill -TERM "$child"
  code=0
  wait "$child" || code=$?
  equals "$code" 3
  exists saved
}

test_init_leaves_variables_alone() {
  tools=1 child=2 code=3
  export tools child code
  equals "$(run tools/init.sh sh -c 'echo $tools $child $code')" '1 2 3'
}

test_python_is_found_by_either_name_and_gets_its_arguments() {
  mkdir empty
  for name in python3 python; do
    mkdir "$name"
    printf '#!/bin/sh\necho %s "$@"\n' "$name" > "$name/$name"
    chmod +x "$name/$name"
    sh=$(command -v "${shell%% *}")
    equals "$(PATH=$PWD/$name "$sh" ${shell#"${shell%% *}"} -c "$(cat "$programs/tools/run-python.sh")" zero hint -I 'a b')" "$name -I a b"
  done
}

test_the_lack_of_python_is_told() {
  mkdir empty
  text=$(cat "$programs/tools/run-python.sh")
  equals "$(PATH=$PWD/empty code_of "$(command -v "${shell%% *}")" ${shell#"${shell%% *}"} -c "$text" zero 'no python3' x)" 127
  equals "$(cat output)" 'no python3'
}

test_tools_come_in_front_of_a_path_of_the_image() {
  unset PYTHONPATH
  equals "$(run tools/with-pythonpath.sh /tools sh -c 'echo "$PYTHONPATH|$1"' zero 'a b')" '/tools|a b'
  PYTHONPATH=/image
  export PYTHONPATH
  equals "$(run tools/with-pythonpath.sh /tools sh -c 'echo "$PYTHONPATH"')" /tools:/image
}

test_stacks_are_asked_for_and_then_the_hook_runs() {
  mkdir stacks
  stand_in python 'echo "asked $*"'
  echo "$PWD/bin/python" > stacks/python
  equals "$(run stacks/dump-then-hook.sh stacks stacks.py message echo hook)" "asked -I -S stacks.py stacks message
hook"
  equals "$(run stacks/dump-then-hook.sh stacks stacks.py message)" 'asked -I -S stacks.py stacks message'
}

test_a_container_without_python_has_its_hook_only() {
  equals "$(run stacks/dump-then-hook.sh nothing stacks.py message echo hook 2>/dev/null)" hook
}
