/**
 * Stacks of hung Python programs, without a right to execute anything in pods (`pods/exec`) and without a privileged helper.
 *
 * 1. `sitecustomize.py` stands first on `PYTHONPATH`, so that every Python of the container imports it as it starts. It registers `faulthandler` on a
 *    signal, with a file of the process' own for the output: the handler is C code, which works while the interpreter waits in a collective that
 *    never ends. The name of the file says who can be asked: `PID-SIGNAL-NAMESPACE.stacks`.
 * 2. A `preStop` hook runs `stacks.py` when the pod is deleted. It signals exactly those processes that registered and still catch the signal (a
 *    process that has become another program by `exec` would die of it), waits until the stacks are written, and puts the most telling ones into the
 *    container's termination message.
 * 3. The kubelet carries that message into the pod's status before the pod is gone, and the operator keeps it with the failure.
 *
 * A real-time signal and not SIGUSR1: launchers and Slurm-minded trainers use the two user signals for themselves.
 *
 * The scripts are written for every Python from 3.6 on, and do nothing on others. No part of them may ever be the reason that a program ends, or
 * does not end.
 * @see https://docs.python.org/3/library/faulthandler.html#faulthandler.register
 * @see https://docs.python.org/3/library/site.html#module-sitecustomize
 */

/** First line of a termination message that holds stacks. */
export const STACKS_MARK = 'trainyard stacks';

/** Variable with the folder that processes register in. */
export const STACKS_PATH_VARIABLE = 'TRAINYARD_STACKS_PATH';
