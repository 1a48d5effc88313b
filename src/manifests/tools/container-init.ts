/**
 * `spec.init`: an init process for the training container, in POSIX shell, because a binary would have to be in the image. It is process 1 of the
 * container, starts the command as a child, and exits after it with its exit code.
 *
 * - Signals go only to the child, as with tini, and not to its process group: a trainer that saves on SIGTERM still needs its data loaders. A shell
 *   as child ends on SIGTERM without forwarding it. So if the child ended on a forwarded SIGTERM, all other processes of the container get SIGTERM
 *   too, and can take up to the pod's grace period. Only process 1 does that: elsewhere (a shared process namespace, a local run) `kill -1` would
 *   reach other processes. The local runner does the same with process groups.
 * - `wait` returns early with the signal's code when a signal arrives, and is called again. If it then reports no such child (127; bash also -1),
 *   the earlier result was the child's. bash can lose signals that arrive at the same time, or in the first milliseconds, but not a single later
 *   SIGTERM.
 * - A shell starts background programs with SIGINT and SIGQUIT ignored, and Python then raises no KeyboardInterrupt. bash can undo that with `trap
 *   -`; dash needs `env` of GNU coreutils. Without either, SIGINT needs a handler in the program.
 * - A waiting shell reaps orphaned processes.
 * - Its variables have long names, because a variable of the job with the same name would be changed for the program.
 */
import type { Container } from '../kubernetes';
import { hasInit } from '../../model/training-job/init';
import type { ResolvedRole, ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import { escapeReferences } from '../../model/variable-references';
import { programText } from '../../programs/program-text';

/** Name of the init's process, `$0`. */
export const INIT_NAME = 'trainyard-init';

/**
 * The complete `training` container of a role, with an init if the job has one. Other wrappers of the command use `exec`, so the init is always
 * process 1.
 */
export function withInit(job: ResolvedTrainingJob, role: ResolvedRole, container: Container): Container {
  return !container.command?.length || !hasInit(job, role) ? container
    : { ...container, command: ['/bin/sh', '-c', escapeReferences(programText('tools/init.sh')), INIT_NAME, ...container.command] };
}
