/** What the tools of `spec.debug` and `spec.preflight` say through a pod's termination messages. */
import type { PodFailure, PreflightState } from '../types';
import { STACKS_MARK } from '../../../../manifests/tools/stacks';
import type { ContainerStatus, Pod } from '../../../../manifests/kubernetes';
import { PREFLIGHT_CONTAINER } from '../../../../model/training-job/preflight';

/** Longest text that is taken over, in characters. */
const TEXT_MAX_LENGTH = 1024;

/** Reason of a pod whose checks failed. */
export const PREFLIGHT_FAILED = 'PreflightFailed';

/** The stacks in a termination message; undefined when it is an ordinary one. */
export function stacksOf(training: ContainerStatus | undefined): string | undefined {
  const message = training?.state?.terminated?.message;
  return message?.startsWith(STACKS_MARK) ? message.slice(message.indexOf('\n') + 1) : undefined;
}

/** How far the checks of a pod are; undefined where it has none, or they have not begun. */
export function preflightOf(pod: Pod): PreflightState | undefined {
  const { running, terminated } = pod.status?.initContainerStatuses?.find(({ name }) => name === PREFLIGHT_CONTAINER)?.state ?? {};
  if (!running && !terminated) {
    return undefined;
  }
  const begun = Date.parse(running?.startedAt ?? terminated?.startedAt ?? '');
  return {
    ...(!Number.isNaN(begun) && { startedAt: begun }),
    ...(terminated && { exitCode: terminated.exitCode, ...(terminated.exitCode !== 0 && findings(terminated.message ?? '')) }),
  };
}

/** The failure of a pod whose checks failed, in their own words; any other as it is. */
export function explained(failure: PodFailure, preflight: PreflightState | undefined): PodFailure {
  return failure.container !== PREFLIGHT_CONTAINER || failure.disruption
    ? failure
    : { ...failure, reason: PREFLIGHT_FAILED, message: preflight?.message || failure.message, logTail: undefined };
}

/** The program's own words are JSON; anything else was written by whoever could not run it. */
function findings(text: string): { readonly message?: string; readonly blames?: readonly number[] } {
  try {
    const { message, blames } = JSON.parse(text) as { message?: unknown; blames?: unknown };
    return {
      message: String(message).slice(0, TEXT_MAX_LENGTH),
      blames: Array.isArray(blames) ? blames.filter((rank): rank is number => Number.isInteger(rank)) : [],
    };
  } catch {
    return { message: text.trim().slice(-TEXT_MAX_LENGTH) || undefined };
  }
}
