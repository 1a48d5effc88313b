/** Why a replica failed, in lines for people. */
import type { FailureCause } from '../../model/training-job/status/status';

/** Who failed, how, and what it wrote last. */
export function describeFailure(cause: FailureCause): string[] {
  const rank = cause.rank === undefined ? 'no rank' : `rank ${cause.rank}`;
  const signal = cause.signal ? ` (${cause.signal})` : '';
  const container = cause.container && cause.container !== 'training' ? `, container ${cause.container}` : '';
  const ending = cause.exitCode === undefined ? cause.reason : `exit code ${cause.exitCode}${signal}, ${cause.reason}`;
  const lines = [`${cause.pod} (${cause.role} ${cause.index}, ${rank}, attempt ${cause.attempt}${container}): ${ending}`];
  if (cause.message) {
    lines.push(cause.message);
  }
  if (cause.logTail && cause.reason === 'ContainerCannotRun') {
    // It never wrote a line: this is why it could not be started.
    lines.push(cause.logTail);
  } else if (cause.logTail) {
    lines.push('its last lines:', ...cause.logTail.trimEnd().split('\n').map((line) => `  | ${line}`));
  }
  for (const { role, indexes, stacks } of cause.stackDumps ?? []) {
    lines.push(`where ${role} ${indexes} was:`, ...stacks.trimEnd().split('\n').map((line) => `  | ${line}`));
  }
  return lines;
}
