# A program with the folders of a container in this one.
placed() {
  mkdir -p files keys secret
  for name in prepare worker session; do
    sed "s#/etc/mpi-ssh-auth#$PWD/secret#g; s#/etc/mpi-ssh#$PWD/keys#g; s#/usr/sbin/sshd#sshd#; s#/run/sshd#$PWD/run#" "$programs/mpi/$name.sh" > "files/$name.sh"
  done
  cp "$programs/mpi/discover-hosts.sh" files/discover_hosts.sh
}
keys() {
  for name in "$@"; do echo "$name" > "secret/$name"; done
}

test_keys_are_copied_for_this_user_alone() {
  placed
  keys ssh-privatekey ssh-publickey ssh-hostkey known_hosts
  ROLE=worker $shell files/prepare.sh
  equals "$(cat keys/ssh-privatekey keys/known_hosts)" "ssh-privatekey
known_hosts"
  contains "$(ls -l keys/ssh-privatekey)" '-r--------'
}

test_one_key_pair_is_the_workers_host_key_too() {
  placed
  keys ssh-privatekey ssh-publickey
  # Twice: an init container may run again.
  ROLE=worker $shell files/prepare.sh
  ROLE=worker $shell files/prepare.sh
  equals "$(cat keys/ssh-hostkey keys/known_hosts)" "ssh-privatekey
mpi-worker ssh-publickey"
}

test_a_launcher_waits_until_all_workers_answer() {
  placed
  rm files/discover_hosts.sh
  keys known_hosts
  printf 'a slots=1\nb slots=1\n' > files/hostfile
  stand_in ssh 'echo "$4" >> asked; [ "$4" = a ] || [ -e tried ] || { : > tried; exit 1; }'
  ROLE=launcher $shell files/prepare.sh > output
  equals "$(sort asked)" "a
b
b"
  contains "$(cat output)" 'All workers answer.'
}

test_a_launcher_that_discovers_hosts_waits_for_the_fewest() {
  placed
  keys known_hosts
  echo 2 > files/fewest_hosts
  printf 'a:4\nb:4\nc:4\n' > files/possible_hosts
  stand_in getent '[ "$2" != c ]'
  equals "$(ROLE=launcher $shell files/prepare.sh)" 'Waiting until 2 workers are ready.'
}

test_hosts_that_are_ready_are_printed_with_their_slots() {
  placed
  printf 'a:4\nb:4\nc:4\n' > files/possible_hosts
  stand_in getent '[ "$2" != b ]'
  equals "$($shell files/discover_hosts.sh | sort)" "a:4
c:4"
  rm files/possible_hosts
  equals "$(code_of $shell files/discover_hosts.sh)" 0
}

test_sessions_have_the_environment_of_the_worker() {
  placed
  stand_in sshd 'echo "sshd $*"'
  RATE='warm = 5; "x" $HOME'
  export RATE
  equals "$($shell files/worker.sh)" "sshd -D -e -f files/sshd_config"
  unset RATE
  equals "$(SSH_ORIGINAL_COMMAND='echo "$RATE"' $shell files/session.sh)" 'warm = 5; "x" $HOME'
}
