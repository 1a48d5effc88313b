/** What a container needs in which an engine's driver starts the job's program: a folder where the two meet, a log, and a word before it stops. */
import { trainingOf, type PlannedTemplate } from './plan';
import type { Container, PodSpec } from '../../kubernetes';
import { RESERVED_VOLUME_PREFIX } from '../../../model/labels';
import { TRAINING_CONTAINER } from '../../../model/names';
import type { Violation } from '../../../model/violations';
import { programText } from '../../../programs/program-text';

const STATE_VOLUME = `${RESERVED_VOLUME_PREFIX}launch`;

/** The spec of a template's pods. @param change what else the engine wants to be different in the training container */
export function launchedPodSpec({ spec }: PlannedTemplate, change: (container: Container) => Container): PodSpec {
  return {
    ...spec,
    containers: spec.containers.map((container) => (container.name === TRAINING_CONTAINER ? change(launchedContainer(container)) : container)),
    volumes: [...(spec.volumes ?? []), { name: STATE_VOLUME, emptyDir: { sizeLimit: '1Mi' } }],
  };
}

function launchedContainer(container: Container): Container {
  const { env = [], volumeMounts = [], lifecycle } = container;
  const { preStop, ...hooks } = (lifecycle ?? {}) as { readonly preStop?: unknown };
  return {
    ...container,
    env: [
      ...env,
      { name: LAUNCH_STATE_VARIABLE, value: LAUNCH_STATE_PATH },
      // Output of programs belongs in the log of their pod, and not only in the driver's.
      { name: LAUNCH_LOG_VARIABLE, value: '/proc/1/fd/1' },
    ],
    volumeMounts: [...volumeMounts, { name: STATE_VOLUME, mountPath: LAUNCH_STATE_PATH }],
    lifecycle: { ...hooks, preStop: { exec: { command: stopCommand(hookCommand(preStop) ?? []) } } },
  };
}

/**
 * Run by the kubelet before it stops a worker's container, whose first process passes no signal on to the program: what the job asked for comes
 * first, then the program gets its SIGTERM and the pod's grace period.
 */
function stopCommand(first: readonly string[]): string[] {
  return ['/bin/sh', '-c', programText('launched/stop.sh'), 'trainyard-stop', ...first];
}

/** Words of a hook before the end of a container; undefined for one that is no program. */
function hookCommand(preStop: unknown): readonly string[] | undefined {
  const { exec, sleep } = (preStop ?? { exec: { command: [] } }) as {
    readonly exec?: { readonly command?: readonly string[] };
    readonly sleep?: { readonly seconds: number };
  };
  return sleep === undefined ? exec?.command : ['sleep', String(sleep.seconds)];
}

/** Before a container stops, its program is told; another hook has to be a program too, to come first. */
export function hookViolations({ spec }: PlannedTemplate, title: string): Violation[] {
  const { lifecycle } = trainingOf(spec);
  const { preStop } = (lifecycle ?? {}) as { readonly preStop?: object };
  return preStop === undefined || hookCommand(preStop) !== undefined ? [] : [{
    path: `spec.template.spec.containers['${TRAINING_CONTAINER}'].lifecycle.preStop`,
    value: Object.keys(preStop),
    message: `is not a command, and pods of ${title} have one that stops the program. Use an exec or a sleep.`,
  }];
}

/** Folder of a worker's container with `pid`, the program's process, and `terminating`, which is there when the pod has been asked to go. */
export const LAUNCH_STATE_PATH = '/run/trainyard/launch';

/** Variable with the path of {@link LAUNCH_STATE_PATH}. */
export const LAUNCH_STATE_VARIABLE = 'TRAINYARD_LAUNCH_STATE';

/** Variable with the file that a program's output is copied to: what the container itself writes to. */
export const LAUNCH_LOG_VARIABLE = 'TRAINYARD_LAUNCH_LOG';
