# What sshd runs for each session, whatever command was asked for.
[ ! -r /etc/mpi-ssh/environment ] || . /etc/mpi-ssh/environment
exec /bin/sh -c "${SSH_ORIGINAL_COMMAND:-exec /bin/sh}"
