/**
 * `spec.init`: which containers run their command below an init. Process 1 of a container has no default action for any signal, so that a program
 * without a handler for SIGTERM keeps running until it is killed, and a shell passes no signal on to what it has started.
 */
import type { ResolvedRole, ResolvedTrainingJob } from './replicas/resolve';

/** Rest of a sentence on a command. */
export const INIT_NEEDS_COMMAND = 'is required with init: the entry point of the image is not known, so an init cannot start it. '
  + 'Set it to the image\'s entry point, or remove init';

/**
 * Whether the training container of a role runs its command below an init. What a framework itself runs in a role, an ssh server on workers of MPI,
 * handles signals and is left as it is; so is a helper that leaves its command to its image.
 */
export function hasInit({ spec, framework }: ResolvedTrainingJob, role: ResolvedRole): boolean {
  if (spec.init !== true) {
    return false;
  }
  if (role.helper !== undefined) {
    return hasWords(role.command);
  }
  const isFrameworks = framework.roles.some(({ name, command }) => name === role.name && command !== undefined);
  return !isFrameworks || hasWords(spec.roles?.find(({ name }) => name === role.name)?.command);
}

/** Whether there is a program in a command. */
export function hasWords(command: readonly string[] | undefined): boolean {
  return command !== undefined && command.length > 0;
}
