/**
 * `spec.init`: an init for the container that trains, in POSIX shell, because a binary would have to be in the image. It is process 1 of the
 * container, starts the command as a child, and ends when that has ended, with its exit code.
 *
 * - Signals go to the child alone, as tini's do, and not to its process group: a trainer that saves on SIGTERM still needs its data loaders. A
 *   shell that is the child ends by SIGTERM and passes it on to nobody. So where the child ended by a SIGTERM that was passed on, all other processes
 *   of the container get SIGTERM too, and as long as they need, up to the pod's grace period. That is for process 1 only: elsewhere (a process
 *   namespace that containers share, a local run) `kill -1` would reach processes of others. The local runner does the same by process groups.
 * - `wait` returns early when a signal arrives, with the signal's code, and is called again. When it then knows no such child (127; bash also says
 *   -1), what it returned before was the child's. Signals that come in the same instant, or in the first milliseconds, may be lost by bash; one
 *   SIGTERM later on is not.
 * - A shell starts programs in the background with SIGINT and SIGQUIT ignored, and Python then raises no KeyboardInterrupt. bash can take that back
 *   by `trap -`; dash needs `env` of GNU coreutils. Where neither is there, SIGINT needs a handler in the program.
 * - A shell that waits reaps what its descendants leave behind.
 * - Its variables have long names: a variable of the job that had the same name would be changed for the program.
 */
import type { Container } from '../kubernetes';
import { hasInit } from '../../model/training-job/init';
import type { ResolvedRole, ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import { escapeReferences } from '../../model/variable-references';
import { programText } from '../../programs/program-text';

/** Name of the init's process, `$0`. */
export const INIT_NAME = 'trainyard-init';

/**
 * The finished `training` container of a role, with an init where the job asks for one. What else is put in front of a command becomes the command by
 * `exec`, so that the init is process 1 wherever it stands among them.
 */
export function withInit(job: ResolvedTrainingJob, role: ResolvedRole, container: Container): Container {
  return !container.command?.length || !hasInit(job, role) ? container
    : { ...container, command: ['/bin/sh', '-c', escapeReferences(programText('tools/init.sh')), INIT_NAME, ...container.command] };
}
