set -e
home="$(mktemp -d)"
ssh-keygen -q -t ed25519 -N '' -f "$home/host"
mkdir -p "$HOME/.ssh" /run/sshd 2>/dev/null || true
env | grep -E '^[A-Za-z_][A-Za-z0-9_]*=' | grep -vE '^(HOME|PWD|OLDPWD|SHLVL|_)=' >"$HOME/.ssh/environment"
exec "$(command -v sshd)" -D -e -f /dev/null -p "$1" -o "HostKey=$home/host" -o "AuthorizedKeysFile=$2" \
  -o StrictModes=no -o PasswordAuthentication=no -o PermitUserEnvironment=yes -o PidFile=none -o "Subsystem=sftp internal-sftp"
