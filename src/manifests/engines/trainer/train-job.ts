/** The TrainJob: what a node runs, the number of nodes, and the runtime with everything else. */
import { NODE, type PluginPlan } from './plan';
import type { TrainerOptions } from './options';
import { controlFields } from '../indexed/companions';
import type { Container, PodSpec } from '../../kubernetes';
import type { PodTemplate } from '../../pod/pod-template';
import type { TrainingJobSpec } from '../../../model/training-job/spec';

/** API group of TrainJobs and their runtimes. */
export const TRAINER_API_GROUP = 'trainer.kubeflow.org';

/** `apiVersion` of TrainJobs and their runtimes. */
export const TRAINER_API_VERSION = `${TRAINER_API_GROUP}/v1alpha1`;

/** Manager of our patches: a path with a domain, as Trainer's webhook requires. */
const PATCH_MANAGER = 'ml.collabnix.io/trainyard';

/** Limits of Trainer's API for a TrainJob's nodes. Runtimes have no such limits. */
export const TRAINER_LIMITS = { env: 128, words: 128, image: 500 } as const;

/** Fields of a pod that runtimePatches can set. */
export const PATCHED_POD_FIELDS: readonly string[] = [
  'serviceAccountName', 'volumes', 'imagePullSecrets', 'securityContext', 'nodeSelector', 'affinity', 'tolerations', 'schedulingGates',
  'terminationGracePeriodSeconds',
];

/** Fields of the container `node` that `spec.trainer` sets. */
export const TRAINER_FIELDS: readonly string[] = ['image', 'command', 'args', 'env', 'resources'];

/** Fields of a container that runtimePatches can set. `spec.trainer` has its variables. */
export const PATCHED_CONTAINER_FIELDS: readonly string[] = ['volumeMounts', 'securityContext'];

/** `spec.trainer`. It always has the number of nodes, without which the plugins omit their variables. */
export interface Trainer {
  readonly numNodes: number;
  readonly numProcPerNode?: number;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly object[];
  readonly resourcesPerNode?: object;
}

/** `spec` of a TrainJob. */
export function trainJobSpec(name: string, spec: TrainingJobSpec, trainer: Trainer, options: TrainerOptions, patches?: readonly object[]): object {
  return {
    runtimeRef: {
      apiGroup: TRAINER_API_GROUP,
      kind: options.runtime === undefined ? 'TrainingRuntime' : options.runtimeKind ?? 'ClusterTrainingRuntime',
      name: options.runtime ?? name,
    },
    trainer,
    runtimePatches: patches,
    activeDeadlineSeconds: spec.runPolicy?.activeDeadlineSeconds,
    ...controlFields(spec),
  };
}

/** Splits a template into the TrainJob's part and the rest. Settings that exceed the API's limits remain in the template. */
export function splitTrainer(
  { shape, input, nodes }: PluginPlan, template: PodTemplate, options: TrainerOptions,
): { readonly trainer: Trainer; readonly template: PodTemplate } {
  const counts = { numNodes: nodes.replicas.length, ...(input.numProcPerNode !== undefined && { numProcPerNode: input.numProcPerNode }) };
  const [node, ...others] = template.spec.containers;
  // A launcher differs from the nodes. Flux reads the command only from the TrainJob.
  if (shape === 'launcher' || (shape === 'nodes' && options.runtime === undefined && !isWithinLimits(node))) {
    return { trainer: counts, template };
  }
  const { image, command, args, env, resources, ...rest } = node;
  const trainer: Trainer = { ...counts, image, command, args, ...(env?.length && { env }), resourcesPerNode: resources };
  return { trainer, template: { ...template, spec: { ...template.spec, containers: [rest, ...others] } } };
}

/** Whether a container is within the limits of Trainer's API. */
function isWithinLimits({ image = '', command = [], args = [], env = [] }: Container): boolean {
  return env.length <= TRAINER_LIMITS.env && Math.max(command.length, args.length) <= TRAINER_LIMITS.words && image.length <= TRAINER_LIMITS.image;
}

/** The part of a template that runtimePatches can set, as the patch of a runtime's nodes. */
export function runtimePatches({ metadata, spec }: PodTemplate): object[] {
  const [node] = spec.containers;
  const patched = fieldsOf(node, PATCHED_CONTAINER_FIELDS);
  const podSpec = {
    ...fieldsOf(spec, PATCHED_POD_FIELDS),
    ...(Object.keys(patched).length > 0 && { containers: [{ name: NODE, ...patched }] }),
  };
  return [{
    manager: PATCH_MANAGER,
    trainingRuntimeSpec: { template: { spec: { replicatedJobs: [{ name: NODE, template: { spec: { template: { metadata, spec: podSpec } } } }] } } },
  }];
}

function fieldsOf(object: PodSpec | Container, names: readonly string[]): { [field: string]: unknown } {
  return Object.fromEntries(names.filter((name) => object[name] !== undefined).map((name) => [name, object[name]]));
}
