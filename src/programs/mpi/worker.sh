# The command of workers: an ssh server whose sessions have the environment of this container. It has no variables of its own, which would be in there.
rm -f /etc/mpi-ssh/environment
(umask 077; export -p > /etc/mpi-ssh/environment)
# sshd insists on this folder when root starts it, and images lack it.
[ "$(id -u)" -ne 0 ] || (umask 022; mkdir -p /run/sshd)
exec /usr/sbin/sshd -D -e -f "${0%/*}/sshd_config"
