/**
 * A pod as rules look at it, with the place of each part: one reader for a pod as Kubernetes writes it, one for the role of a training job, so that a
 * rule is written once.
 */
import { jsonNumber, jsonText, record, records, textFields, type JsonRecord } from '../json-parts';
import { defined } from '../lists';
import { tryParseQuantity } from '../quantities';
import { fieldPath, type Placed } from '../shapes';
import { nodeSelectorOf, sharedMemoryOf } from '../training-job/accelerator-labels';
import { HOOK_CONTAINER, type HookName, type HookSpec } from '../training-job/hooks';
import { writtenRole } from '../training-job/replicas/helpers';
import type { ResolvedRole, ResolvedTrainingJob } from '../training-job/replicas/resolve';
import type { ResourcesSpec } from '../training-job/spec';

export interface CheckedContainer {
  readonly name: string;
  readonly path: string;
  readonly isInit: boolean;
  readonly image?: Placed<string>;
  /** What replaces the image's entry point. @default - the image's */
  readonly command?: Placed<readonly string[]>;
  readonly args?: Placed<readonly string[]>;
  readonly workingDir?: Placed<string>;
  readonly env: readonly Placed<JsonRecord>[];
  readonly mounts: readonly Placed<JsonRecord>[];
  readonly ports: readonly Placed<JsonRecord>[];
  readonly probes: readonly Placed<JsonRecord>[];
  readonly resources: CheckedResources;
}

/** What a container asks for. Numbers: cores, bytes, devices. */
export interface CheckedResources {
  /** Where they stand. */
  readonly path: string;
  readonly cpu?: Placed<number>;
  readonly memory?: Placed<number>;
  /** The limit alone; of a job it is the request too. */
  readonly memoryLimit?: Placed<number>;
  readonly gpus: number;
  readonly gpuPath?: string;
  /** The first GPU, or partition of one, of whichever vendor. */
  readonly device?: Placed<number>;
  readonly isEmpty: boolean;
  readonly above: readonly Placed<{ readonly request: string; readonly limit: string }>[];
}

export interface CheckedPod {
  readonly path: string;
  readonly containers: readonly CheckedContainer[];
  readonly volumes: readonly Placed<JsonRecord>[];
  /** Whether all volumes are known: a controller of another system can add some. */
  readonly allVolumesKnown: boolean;
  readonly nodeSelector: { readonly [label: string]: string };
  /** Whether no `/dev/shm` need be mounted: the controller that creates the pod does so, or its containers have the node's. */
  readonly hasSharedMemory: boolean;
}

/** What stands around a pod's spec. */
export interface PodSurroundings {
  /** Containers in which a controller fills in what is missing: their image and command need not be there. */
  readonly allVolumesKnown?: boolean;
}

const TRAINING = 'training';

/** Resources that are GPUs, or partitions of one. */
const GPUS = /^(?:nvidia|amd)\.com\/(?:gpu|mig-)/;

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'];

/** Reads the spec of a pod. @param path where the spec stands */
export function podOfSpec(spec: JsonRecord, path: string, { allVolumesKnown = true }: PodSurroundings = {}): CheckedPod {
  return {
    path,
    containers: [...containersIn(spec, path, 'containers'), ...containersIn(spec, path, 'initContainers')],
    volumes: placedRecords(spec.volumes, `${path}.volumes`),
    allVolumesKnown,
    nodeSelector: textFields(spec.nodeSelector),
    hasSharedMemory: spec.hostIPC === true,
  };
}

/** Pods of a training job, one for each role; roles that are alike have the same one. */
export function podsOfJob(job: ResolvedTrainingJob): CheckedPod[] {
  const pods: CheckedPod[] = [];
  for (const [index, role] of job.roles.entries()) {
    pods.push(index > 0 && areAlike(job, job.roles[index - 1], role) ? pods[index - 1] : podOfRole(job, role));
  }
  return pods;
}

/** Whether two roles differ in their names and numbers only, as most do that the short form is spelled out as. */
function areAlike({ shortForm }: ResolvedTrainingJob, one: ResolvedRole, other: ResolvedRole): boolean {
  return shortForm && one.helper === undefined && other.helper === undefined && one.ranked === other.ranked
    && one.image === other.image && one.command === other.command && one.args === other.args && one.resources === other.resources;
}

function podOfRole(job: ResolvedTrainingJob, role: ResolvedRole): CheckedPod {
  const { spec } = job;
  const { written: ofRole, path: own } = writtenRole(job, role) ?? {};
  const written = record(ofRole);
  const placeOf = (field: string) => (own !== undefined && written[field] !== undefined ? `${own}.${field}` : `spec.${field}`);
  const templates = [
    ...(spec.template === undefined ? [] : [{ pod: record(spec.template.spec), path: 'spec.template.spec' }]),
    ...(own === undefined || written.template === undefined ? [] : [{ pod: record(record(written.template).spec), path: `${own}.template.spec` }]),
  ];
  const further = templates.flatMap(({ pod, path }) => [...containersIn(pod, path, 'containers'), ...containersIn(pod, path, 'initContainers')]);
  const inTemplate = further.filter(({ name, isInit }) => name === TRAINING && !isInit);
  const ofTemplate = merged(inTemplate);
  const training: CheckedContainer = {
    name: TRAINING,
    path: own ?? 'spec',
    isInit: false,
    ...ofTemplate,
    image: ofTemplate.image ?? placedText(role.image, placeOf('image')),
    command: ofTemplate.command ?? placedTexts(role.command, placeOf('command')),
    args: ofTemplate.args ?? placedTexts(role.args, placeOf('args')),
    workingDir: ofTemplate.workingDir ?? placedText(spec.workingDir, 'spec.workingDir'),
    resources: resourcesOfRole(role.resources, placeOf('resources'), inTemplate),
  };
  return {
    path: own ?? 'spec',
    containers: [training, ...further.filter((container) => !inTemplate.includes(container))],
    volumes: templates.flatMap(({ pod, path }) => placedRecords(pod.volumes, `${path}.volumes`)),
    allVolumesKnown: true,
    hasSharedMemory: role.resources.gpu === undefined || sharedMemoryOf(job, role) !== undefined || templates.some(({ pod }) => pod.hostIPC === true),
    nodeSelector: { ...nodeSelectorOf(job, role), ...Object.assign({}, ...templates.map(({ pod }) => textFields(pod.nodeSelector))) },
  };
}

/** Pods of a job's hooks, without what they share with the replicas. */
export function podsOfHooks({ spec: { hooks = {} } }: ResolvedTrainingJob): CheckedPod[] {
  return (Object.entries(hooks) as [HookName, HookSpec][]).map(([hook, { image, command, args, resources = {} }]) => {
    const path = `spec.hooks.${hook}`;
    return {
      path,
      containers: [{
        name: HOOK_CONTAINER,
        path,
        isInit: false,
        image: placedText(image, `${path}.image`),
        command: placedTexts(command, `${path}.command`),
        args: placedTexts(args, `${path}.args`),
        ...NOTHING,
        resources: resourcesOfRole(resources, `${path}.resources`, []),
      }],
      volumes: [],
      allVolumesKnown: true,
      hasSharedMemory: true,
      nodeSelector: {},
    };
  });
}

/** What templates say of the container that trains: the last word counts, lists are joined. */
type MergedContainer = Pick<CheckedContainer, 'image' | 'command' | 'args' | 'workingDir' | 'env' | 'mounts' | 'ports' | 'probes'>;

/** Of nearly all jobs. */
const NOTHING: MergedContainer = { env: [], mounts: [], ports: [], probes: [] };

function merged(containers: readonly CheckedContainer[]): MergedContainer {
  const fields = containers.map(({ image, command, args, workingDir }) => defined({ image, command, args, workingDir }));
  return containers.length === 0 ? NOTHING : {
    ...Object.assign({}, ...fields) as Partial<MergedContainer>,
    env: containers.flatMap(({ env }) => env),
    mounts: containers.flatMap(({ mounts }) => mounts),
    ports: containers.flatMap(({ ports }) => ports),
    probes: containers.flatMap(({ probes }) => probes),
  };
}

function resourcesOfRole(resources: ResourcesSpec, path: string, inTemplate: readonly CheckedContainer[]): CheckedResources {
  const { cpu, memory, gpu = 0, gpuResourceName = 'nvidia.com/gpu' } = resources;
  const [ofTemplate] = inTemplate.map(({ resources: own }) => own).filter(({ isEmpty }) => !isEmpty);
  return {
    path,
    cpu: placedQuantity(cpu, `${path}.cpu`) ?? ofTemplate?.cpu,
    memory: placedQuantity(memory, `${path}.memory`) ?? ofTemplate?.memory,
    memoryLimit: placedQuantity(memory, `${path}.memory`) ?? ofTemplate?.memoryLimit,
    gpus: gpuResourceName === 'nvidia.com/gpu' && gpu > 0 ? gpu : ofTemplate?.gpus ?? 0,
    gpuPath: gpu > 0 ? `${path}.gpu` : ofTemplate?.gpuPath,
    isEmpty: Object.keys(resources).length === 0 && ofTemplate === undefined,
    above: inTemplate.flatMap(({ resources: own }) => own.above),
  };
}

function containersIn(spec: JsonRecord, path: string, field: 'containers' | 'initContainers'): CheckedContainer[] {
  return placedRecords(spec[field], `${path}.${field}`).map(({ value, path: at }) => ({
    name: typeof value.name === 'string' ? value.name : '',
    path: at,
    isInit: field === 'initContainers' && value.restartPolicy !== 'Always',
    image: placedText(value.image, `${at}.image`),
    command: placedTexts(value.command, `${at}.command`),
    args: placedTexts(value.args, `${at}.args`),
    workingDir: placedText(value.workingDir, `${at}.workingDir`),
    env: placedRecords(value.env, `${at}.env`),
    mounts: placedRecords(value.volumeMounts, `${at}.volumeMounts`),
    ports: placedRecords(value.ports, `${at}.ports`),
    probes: PROBES.filter((probe) => value[probe] !== undefined).map((probe) => ({ value: record(value[probe]), path: `${at}.${probe}` })),
    resources: resourcesIn(record(value.resources), `${at}.resources`),
  }));
}

function resourcesIn({ requests, limits }: JsonRecord, path: string): CheckedResources {
  const [asked, most] = [record(requests), record(limits)];
  const quantity = (name: string) => placedQuantity(asked[name], `${path}.requests.${name}`) ?? placedQuantity(most[name], `${path}.limits.${name}`);
  const gpus = jsonNumber(most['nvidia.com/gpu'] ?? asked['nvidia.com/gpu'] ?? 0);
  const above = Object.keys(asked).flatMap((name) => {
    const [request, limit] = [asked[name], most[name]].map((value) => (value === undefined ? undefined : tryParseQuantity(jsonText(value))));
    return request === undefined || limit === undefined || request <= limit ? []
      : [{ value: { request: jsonText(asked[name]), limit: jsonText(most[name]) }, path: fieldPath(`${path}.requests`, name) }];
  });
  return {
    path,
    cpu: quantity('cpu'),
    memory: quantity('memory'),
    memoryLimit: placedQuantity(most.memory, `${path}.limits.memory`),
    gpus: Number.isFinite(gpus) ? gpus : 0,
    gpuPath: gpus > 0 ? fieldPath(`${path}.limits`, 'nvidia.com/gpu') : undefined,
    device: deviceIn(most, `${path}.limits`),
    isEmpty: Object.keys(asked).length === 0 && Object.keys(most).length === 0,
    above,
  };
}

function deviceIn(limits: JsonRecord, path: string): Placed<number> | undefined {
  const name = Object.keys(limits).find((resource) => GPUS.test(resource) && jsonNumber(limits[resource]) > 0);
  return name === undefined ? undefined : { value: jsonNumber(limits[name]), path: fieldPath(path, name) };
}

function placedText(value: unknown, path: string): Placed<string> | undefined {
  return typeof value === 'string' ? { value, path } : undefined;
}

/** A list of texts; another rule checks entries that are not texts. */
function placedTexts(value: unknown, path: string): Placed<readonly string[]> | undefined {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string') ? { value, path } : undefined;
}

function placedQuantity(value: unknown, path: string): Placed<number> | undefined {
  const parsed = typeof value === 'string' || typeof value === 'number' ? tryParseQuantity(jsonText(value)) : undefined;
  return parsed === undefined ? undefined : { value: parsed, path };
}

function placedRecords(value: unknown, path: string): Placed<JsonRecord>[] {
  return records(value).map((entry, index) => ({ value: entry, path: `${path}[${index}]` }));
}
