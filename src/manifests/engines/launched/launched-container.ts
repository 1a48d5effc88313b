/** Additions to a container in which an engine's driver starts the job's program: a shared folder, a log, and a hook that stops the program. */
import { trainingOf, type PlannedTemplate } from './plan';
import type { Container, PodSpec } from '../../kubernetes';
import { RESERVED_VOLUME_PREFIX } from '../../../model/labels';
import { TRAINING_CONTAINER } from '../../../model/names';
import type { Violation } from '../../../model/violations';
import { programText } from '../../../programs/program-text';

const STATE_VOLUME = `${RESERVED_VOLUME_PREFIX}launch`;

/** The spec of a template's pods. @param change the engine's further changes of the training container */
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
      // The output of programs must be in the log of their pod, not only in the driver's.
      { name: LAUNCH_LOG_VARIABLE, value: '/proc/1/fd/1' },
    ],
    volumeMounts: [...volumeMounts, { name: STATE_VOLUME, mountPath: LAUNCH_STATE_PATH }],
    lifecycle: { ...hooks, preStop: { exec: { command: stopCommand(hookCommand(preStop) ?? []) } } },
  };
}

/**
 * Command that the kubelet runs before it stops a worker's container, whose first process does not forward signals to the program. It runs the job's
 * own hook first, then the program gets SIGTERM and the pod's grace period.
 */
function stopCommand(first: readonly string[]): string[] {
  return ['/bin/sh', '-c', programText('launched/stop.sh'), 'trainyard-stop', ...first];
}

/** Command of a preStop hook; undefined if it is not a command. */
function hookCommand(preStop: unknown): readonly string[] | undefined {
  const { exec, sleep } = (preStop ?? { exec: { command: [] } }) as {
    readonly exec?: { readonly command?: readonly string[] };
    readonly sleep?: { readonly seconds: number };
  };
  return sleep === undefined ? exec?.command : ['sleep', String(sleep.seconds)];
}

/** A job's preStop hook must be a command, so that it can run before the one that stops the program. */
export function hookViolations({ spec }: PlannedTemplate, title: string): Violation[] {
  const { lifecycle } = trainingOf(spec);
  const { preStop } = (lifecycle ?? {}) as { readonly preStop?: object };
  return preStop === undefined || hookCommand(preStop) !== undefined ? [] : [{
    path: `spec.template.spec.containers['${TRAINING_CONTAINER}'].lifecycle.preStop`,
    value: Object.keys(preStop),
    message: `is not a command, and pods of ${title} have one that stops the program. Use an exec or a sleep.`,
  }];
}

/** Folder of a worker's container with `pid`, the program's process, and `terminating`, which exists when the pod is being deleted. */
export const LAUNCH_STATE_PATH = '/run/trainyard/launch';

/** Variable with the path of {@link LAUNCH_STATE_PATH}. */
export const LAUNCH_STATE_VARIABLE = 'TRAINYARD_LAUNCH_STATE';

/** Variable with the file to which a program's output is copied: the container's log. */
export const LAUNCH_LOG_VARIABLE = 'TRAINYARD_LAUNCH_LOG';
