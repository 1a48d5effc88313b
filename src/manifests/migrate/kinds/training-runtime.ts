/**
 * The runtime to which a TrainJob refers: found among the objects of the input, with the job's patches applied to its pods.
 * @see https://github.com/kubeflow/trainer/tree/v2.3.0/pkg/apis/trainer/v1alpha1
 */
import type { Fields, JsonObject } from '../fields';
import type { MigrationContext } from '../job';
import type { Notes } from '../notes';
import { TRAINER_API_GROUP } from '../../engines/trainer/train-job';
import type { PodSpec } from '../../kubernetes';
import { mergePodSpec } from '../../pod/pod-template';
import type { FrameworkName } from '../../../model/training-job/spec';
import { isRecord, record } from '../../../model/json-parts';

/** Name patterns of the runtimes that Kubeflow installs, with their frameworks. */
const KNOWN_RUNTIMES: readonly { readonly name: RegExp; readonly framework: FrameworkName }[] = [
  { name: /^(torch|pytorch)(-|$)/, framework: 'pytorch' },
  { name: /^deepspeed(-|$)/, framework: 'deepspeed' },
  { name: /^(mpi|mlx)(-|$)/, framework: 'mpi' },
  { name: /^jax(-|$)/, framework: 'jax' },
  { name: /^xgboost(-|$)/, framework: 'xgboost' },
];

/** Framework of a runtime that is not in the input, by its name. */
export function frameworkOfName(name: string): FrameworkName | undefined {
  return KNOWN_RUNTIMES.find((known) => known.name.test(name))?.framework;
}

/** Finds a runtime in the input. */
export function findRuntime(kind: string, name: string, namespace: string | undefined, context: MigrationContext): JsonObject | undefined {
  const found = context.objects.find((object) => {
    const metadata = (object.metadata ?? {}) as { readonly name?: string; readonly namespace?: string };
    const isNear = kind === 'ClusterTrainingRuntime' || (metadata.namespace ?? namespace) === (namespace ?? metadata.namespace);
    return object.kind === kind && String(object.apiVersion).startsWith(`${TRAINER_API_GROUP}/`) && metadata.name === name && isNear;
  });
  if (found !== undefined) {
    context.use(found);
  }
  return found;
}

/** A patch for the pods of one replicated job. */
export interface PodPatch {
  readonly job: string;
  readonly template: JsonObject;
}

/**
 * Reads the patches of a TrainJob: `runtimePatches` (from v2.3 on), `podTemplateOverrides` (v2.1, v2.2) and `podSpecOverrides` (v2.0).
 */
export function readPatches(spec: Fields, notes: Notes): PodPatch[] {
  return [...spec.list('runtimePatches').flatMap((patch) => readRuntimePatch(patch, notes)), ...readOverrides(spec)];
}

function readRuntimePatch(patch: Fields, notes: Notes): PodPatch[] {
  const manager = patch.text('manager') ?? '';
  patch.take('time');
  if (manager.startsWith('kueue.x-k8s.io/')) {
    notes.changed(patch.path, manager, 'is left out: Kueue sets it when it admits the job.');
    patch.takeRest();
    return [];
  }
  notes.changed(patch.at('manager'), manager, 'is left out: its patches are part of the job.');
  const jobs = patch.object('trainingRuntimeSpec')?.object('template')?.object('spec')?.list('replicatedJobs') ?? [];
  return jobs.flatMap((job) => {
    const name = job.text('name') ?? '';
    const template = job.object('template')?.object('spec')?.object('template');
    return template === undefined ? [] : [{ job: name, template: wholePatch(template) }];
  });
}

function readOverrides(spec: Fields): PodPatch[] {
  return ['podTemplateOverrides', 'podSpecOverrides'].flatMap((field) => spec.list(field).flatMap((override) => {
    const targets = override.list('targetJobs').map((target) => target.text('name') ?? '');
    override.take('manager');
    const template = field === 'podTemplateOverrides' ? wholePatch(override) : { spec: override.takeRest() };
    return targets.map((job) => ({ job, template }));
  }));
}

function wholePatch(patch: Fields): JsonObject {
  return { metadata: patch.object('metadata')?.takeRest() ?? {}, spec: patch.object('spec')?.takeRest() ?? {} };
}

/** A copy of the runtime with the patches of a job and its resources of the training container. */
export function patchedRuntime(
  runtime: JsonObject, patches: readonly PodPatch[], trainerJob: (job: JsonObject) => boolean, resources: JsonObject,
): JsonObject {
  const copy = structuredClone(runtime) as { spec?: { template?: { spec?: { replicatedJobs?: unknown } } } };
  const jobs = copy.spec?.template?.spec?.replicatedJobs;
  for (const job of Array.isArray(jobs) ? jobs.filter(isRecord) : []) {
    const batch = record(record(job.template).spec) as { template?: JsonObject };
    // The reader of the runtime reports invalid pods.
    if (!isPod(batch.template)) {
      continue;
    }
    for (const patch of patches.filter((candidate) => candidate.job === job.name)) {
      batch.template = patchedPod(batch.template ?? {}, patch.template);
    }
    if (trainerJob(job) && Object.keys(resources).length > 0) {
      batch.template = withResources(batch.template ?? {}, resources);
    }
  }
  return copy as JsonObject;
}

function isPod(template: JsonObject | undefined): boolean {
  const { metadata, spec } = template ?? {};
  const containers = isRecord(spec) ? spec.containers : undefined;
  return (template === undefined || isRecord(template)) && [metadata, spec].every((part) => part === undefined || part === null || isRecord(part))
    && (containers === undefined || (Array.isArray(containers) && containers.every(isRecord)));
}

function patchedPod(template: JsonObject, patch: JsonObject): JsonObject {
  const [metadata, over] = [template.metadata, patch.metadata].map(record);
  const merged = (field: string) => ({ ...record(metadata[field]), ...record(over[field]) });
  return {
    ...template,
    metadata: { ...metadata, ...over, labels: merged('labels'), annotations: merged('annotations') },
    spec: mergePodSpec((template.spec ?? { containers: [] }) as PodSpec, (patch.spec ?? {}) as Partial<PodSpec>),
  };
}

/** Merges `resourcesPerNode` into the container's resources, key by key. */
function withResources(template: JsonObject, resources: JsonObject): JsonObject {
  const pod = (template.spec ?? {}) as { containers?: JsonObject[] };
  const containers = (pod.containers ?? []).map((container) => {
    const own = record(container.resources);
    const merged = (field: 'requests' | 'limits') => (own[field] || resources[field] ? { [field]: { ...record(own[field]), ...record(resources[field]) } } : {});
    return container.name === 'node' ? { ...container, resources: { ...own, ...resources, ...merged('requests'), ...merged('limits') } } : container;
  });
  return { ...template, spec: { ...pod, containers } };
}
