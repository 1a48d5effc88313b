/**
 * Stacks of hung Python programs, without the permission `pods/exec` and without a privileged helper.
 *
 * 1. `sitecustomize.py` is first on `PYTHONPATH`, so every Python of the container imports it at its start. It registers `faulthandler` on a
 *    signal, with a separate output file for each process: the handler is C code, which works while the interpreter waits in a collective that never
 *    ends. The name of the file identifies the process: `PID-SIGNAL-NAMESPACE.stacks`.
 * 2. A `preStop` hook runs `stacks.py` when the pod is deleted. It signals only those processes that registered and still catch the signal (it
 *    would kill a process that has become another program with `exec`), waits until the stacks are written, and puts the most informative ones into
 *    the container's termination message.
 * 3. The kubelet copies that message into the pod's status before the pod is deleted, and the operator keeps it with the failure.
 *
 * It is a real-time signal and not SIGUSR1, because launchers and trainers for Slurm use both user signals.
 *
 * The scripts work with Python 3.6 and later, and do nothing on other versions. They must never end a program, or keep it from ending.
 * @see https://docs.python.org/3/library/faulthandler.html#faulthandler.register
 * @see https://docs.python.org/3/library/site.html#module-sitecustomize
 */

/** First line of a termination message with stacks. */
export const STACKS_MARK = 'trainyard stacks';

/** Variable with the folder where processes register. */
export const STACKS_PATH_VARIABLE = 'TRAINYARD_STACKS_PATH';
