/**
 * The program of a workspace: starts the server that people work with, counts the connections to its port, and ends it when nobody has been there for
 * a while, so that the job is over and its accelerators and its quota are free. POSIX shell, and `/proc/net/tcp` as the kernel writes it: any image
 * has both.
 *
 * An editor in a browser tab and a session of SSH are connections. What runs on without anybody watching keeps the workspace with a file,
 * `/tmp/workspace-keep`.
 */
import { escapeReferences } from '../../model/variable-references';
import type { WorkspaceServerSpec } from '../../model/workbench/workspace';

/** File that keeps an idle workspace. */
export const KEEP_FILE = '/tmp/workspace-keep';

/** How often connections are counted, in seconds. */
const STEP_SECONDS = 15;

/** The states of connections are numbers, and 01 is an open one. */
const SCRIPT = `port=$1 idle=$2 step=$3 keep=$4 hint=$5
shift 5
if ! command -v "$1" >/dev/null 2>&1; then
  echo "workspace: this image has no '$1'. $hint" >&2
  exit 127
fi
state="$(printf ':%04X:01' "$port")"
connected() {
  for table in /proc/net/tcp /proc/net/tcp6; do
    [ -r "$table" ] || continue
    while read -r _ local _ status _; do
      case "$local:$status" in *"$state") return 0 ;; esac
    done <"$table"
  done
  return 1
}
"$@" &
server=$!
stop() {
  kill -TERM "$server" 2>/dev/null
  wait "$server"
  exit 0
}
trap stop TERM INT
quiet=0
while kill -0 "$server" 2>/dev/null; do
  sleep "$step" &
  wait $!
  if connected || [ -e "$keep" ]; then
    quiet=0
  else
    quiet=$((quiet + step))
  fi
  if [ "$idle" -gt 0 ] && [ "$quiet" -ge "$idle" ]; then
    echo "workspace: nobody was connected for $quiet seconds, and so it stops"
    stop
  fi
done
wait "$server"
`;

/** What {@link workspaceCommand} needs to know. */
export interface WorkspaceOptions {
  readonly server: WorkspaceServerSpec;
  /** Seconds without a connection after which the workspace stops; 0 for never. */
  readonly idleSeconds: number;
  /** @default 15 */
  readonly stepSeconds?: number;
  /** @default {@link KEEP_FILE} */
  readonly keepFile?: string;
}

/** Command of the container, in which the kubelet has no variables to replace. */
export function workspaceCommand({ server, idleSeconds, stepSeconds = STEP_SECONDS, keepFile = KEEP_FILE }: WorkspaceOptions): string[] {
  const step = idleSeconds === 0 ? stepSeconds : Math.min(stepSeconds, idleSeconds);
  return ['/bin/sh', '-c', SCRIPT, 'workspace', String(server.port), String(idleSeconds), String(step), keepFile, server.hint, ...server.command].map(escapeReferences);
}

/** Starts an ssh server as whoever the container runs as, with the container's variables in its sessions. */
export const SSH_SCRIPT = `set -e
home="$(mktemp -d)"
ssh-keygen -q -t ed25519 -N '' -f "$home/host"
mkdir -p "$HOME/.ssh" /run/sshd 2>/dev/null || true
env | grep -E '^[A-Za-z_][A-Za-z0-9_]*=' | grep -vE '^(HOME|PWD|OLDPWD|SHLVL|_)=' >"$HOME/.ssh/environment"
exec "$(command -v sshd)" -D -e -f /dev/null -p "$1" -o "HostKey=$home/host" -o "AuthorizedKeysFile=$2" \\
  -o StrictModes=no -o PasswordAuthentication=no -o PermitUserEnvironment=yes -o PidFile=none -o "Subsystem=sftp internal-sftp"
`;
