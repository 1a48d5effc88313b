# Run by the init container of each pod: makes copies of the keys that this user can use; a launcher then waits for its workers.
set -eu
umask 077
files=${0%/*}
cp -f /etc/mpi-ssh-auth/* /etc/mpi-ssh/
if [ ! -e /etc/mpi-ssh-auth/known_hosts ]; then
  # Somebody else made the Secret, with one key pair: it is the workers' host key too.
  cp -f /etc/mpi-ssh/ssh-privatekey /etc/mpi-ssh/ssh-hostkey
  rm -f /etc/mpi-ssh/known_hosts
  echo "mpi-worker $(cat /etc/mpi-ssh/ssh-publickey)" > /etc/mpi-ssh/known_hosts
fi
chmod 0400 /etc/mpi-ssh/*
[ "$ROLE" = launcher ] || exit 0

if [ -e "$files/discover_hosts.sh" ]; then
  # Workers that come later join by themselves.
  fewest=$(cat "$files/fewest_hosts")
  echo "Waiting until $fewest workers are ready."
  until [ "$(/bin/sh "$files/discover_hosts.sh" | wc -l)" -ge "$fewest" ]; do sleep 1; done
  exit 0
fi
answers() {
  until ssh -n -F "$files/ssh_config" "$1" true 2>/dev/null; do sleep 1; done
}
echo "Waiting until all workers answer."
started=0
while read -r host _; do
  answers "$host" &
  started=$((started + 1))
  [ $((started % 32)) -ne 0 ] || wait
done < "$files/hostfile"
wait
echo "All workers answer."
