/**
 * Writes a training job as `new TrainingJob(...)`. The inverse of `constructs/training-job/to-spec.ts`: a patch adds each field without a typed
 * property to the manifest, so that no field is lost.
 */
import { autoTuning, blockCode, scheduling, type OwnCode } from './blocks';
import { call, literal, object, quote, text, type Code } from './code';
import { environment } from './environment';
import { podProperties } from './pod-template';
import type { ProgramScope } from './scope';
import { Entries, duration, given, resources, typed } from './values';
import { Fields, type JsonObject } from '../../manifests/migrate/fields';
import { isRecord } from '../../model/json-parts';
import { entryOf } from '../../model/lists';
import { ARRAY } from '../../model/training-job/array';
import { ELASTIC, IDLE, PREFLIGHT } from '../../model/training-job/fields/features';
import { HOOK, HOOKS } from '../../model/training-job/hooks';
import { HELPER, ROLE } from '../../model/training-job/replicas/role-specs';
import { RUN_POLICY } from '../../model/training-job/run-policy';
import type { Field } from '../../model/training-job/schema/field';
import { SECURITY } from '../../model/training-job/security';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import { jsonPointer } from '../text';

export interface ProgramJob {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: { readonly [name: string]: string };
  readonly annotations?: { readonly [name: string]: string };
  readonly spec: TrainingJobSpec;
}

/** The parts of a job in a program. */
export interface JobCode {
  /** `new TrainingJob(...)`. */
  readonly construct: Code;
  /** Patches for what has no property. */
  readonly patches: readonly Code[];
}

/** Writes a job. @param engine expression of the engine @default - the operator */
export function trainingJob(job: ProgramJob, engine: string | undefined, scope: ProgramScope): JobCode {
  const spec = new Fields(job.spec as unknown as JsonObject);
  const block = (name: string) => (spec.has(name) ? spec.object(name) : undefined);
  const pod = podProperties(spec.take('template'), scope);
  const properties = new Entries()
    .add('metadata', literal(metadata(job)))
    .add('framework', framework(spec, scope))
    .add('image', plain(spec, 'image'))
    .add('replicas', plain(spec, 'replicas'))
    .add('roles', groups(WRITTEN_ROLE, spec.list('roles'), scope))
    .add('helpers', groups(HELPER, spec.list('helpers'), scope))
    .add('command', plain(spec, 'command'))
    .add('args', plain(spec, 'args'))
    .add('code', typed(spec, 'code', scope, (code) => codeBundle(code, scope)))
    .add('workingDir', plain(spec, 'workingDir'))
    .add('env', typed(spec, 'env', scope, (list) => environment(list, scope)))
    .add('envFrom', pod.envFrom)
    .add('resources', resources(block('resources'), scope))
    .add('hyperparameters', typed(spec, 'hyperparameters', scope, nonEmpty))
    .add('autoTuning', autoTuning(spec, scope))
    .add('array', blockCode(ARRAY, block('array'), scope))
    .add('checkpoint', checkpoint(spec, scope))
    .add('port', plain(spec, 'port'))
    .add('serviceAccount', pod.serviceAccount)
    .add('imagePullSecrets', pod.imagePullSecrets)
    .add('volumeMounts', pod.volumeMounts)
    .add('podTemplate', pod.podTemplate)
    .add('runPolicy', blockCode(RUN_POLICY, block('runPolicy'), scope))
    .add('scheduling', scheduling(block('scheduling'), scope))
    .add('debug', typed(spec, 'debug', scope, (debug) => (isRecord(debug) && Object.keys(debug).length === 0 ? text('true') : undefined)))
    .add('preflight', blockCode(PREFLIGHT, block('preflight'), scope))
    .add('hooks', hooks(block('hooks'), scope))
    .add('init', plain(spec, 'init'))
    .add('idle', blockCode(IDLE, block('idle'), scope))
    .add('security', blockCode(SECURITY, block('security'), scope))
    .add('elastic', blockCode(ELASTIC, block('elastic'), scope))
    .add('suspend', plain(spec, 'suspend'))
    .add('engine', engine === undefined ? undefined : text(engine));
  const patches = spec.unread(true).map(({ keys, value }) =>
    call(`${scope.use('cdk8s', 'JsonPatch')}.add`, text(quote(jsonPointer(['spec', ...keys]))), literal(value)));
  const construct = call(`new ${scope.use('trainyard', 'TrainingJob')}`, text('chart'), text(quote(scope.id(job.name))), object(properties.entries));
  return { construct, patches };
}

function metadata({ name, namespace, labels = {}, annotations = {} }: ProgramJob): JsonObject {
  return {
    name,
    namespace,
    labels: Object.keys(labels).length > 0 ? labels : undefined,
    annotations: Object.keys(annotations).length > 0 ? annotations : undefined,
  };
}

/** Methods of `ProcessesPerNode` for values of PyTorch's launcher. */
const PROCESSES: { readonly [value: string]: string } = { auto: 'auto()', gpu: 'perGpu()', cpu: 'perCpu()' };

function framework(spec: Fields, scope: ProgramScope): Code {
  const name = String(spec.take('framework'));
  const factory = `${scope.use('trainyard', 'Framework')}.${name}`;
  const processes = spec.peek('nprocPerNode');
  const count = /^[0-9]+$/.test(String(processes)) ? String(Number(processes)) : undefined;
  if (name === 'pytorch' && processes !== undefined) {
    spec.take('nprocPerNode');
    const value = entryOf(PROCESSES, String(processes)) ?? `of(${count})`;
    return call(factory, object([['nprocPerNode', text(`${scope.use('trainyard', 'ProcessesPerNode')}.${value}`)]]));
  }
  if (['mpi', 'horovod', 'deepspeed'].includes(name) && count !== undefined) {
    spec.take('nprocPerNode');
    return call(factory, object([['slotsPerWorker', text(count)]]));
  }
  return call(factory);
}

const { template, ...ROLE_FIELDS } = ROLE.fields;

/** A role with its template as the last property. */
const WRITTEN_ROLE: Field = { ...ROLE, fields: { ...ROLE_FIELDS, template } };

/** Roles, or helpers. */
function groups(block: Field, written: readonly Fields[], scope: ProgramScope): Code | undefined {
  const items = written.flatMap((each) => blockCode(block, each, scope, ofPods(scope)) ?? []);
  return items.length > 0 ? { items } : undefined;
}

/** Fields of roles, helpers and hooks, which have pods. */
function ofPods(scope: ProgramScope): OwnCode {
  return {
    env: (written) => typed(written, 'env', scope, (list) => environment(list, scope)),
    resources: (written) => resources(written.has('resources') ? written.object('resources') : undefined, scope),
  };
}

function hooks(spec: Fields | undefined, scope: ProgramScope): Code | undefined {
  const hook = (name: string) => (all: Fields) => blockCode(HOOK, all.has(name) ? all.object(name) : undefined, scope, ofPods(scope));
  return blockCode(HOOKS, spec, scope, Object.fromEntries(Object.keys(HOOKS.fields).map((name) => [name, hook(name)])));
}

/** One property for `checkpointPath` and `checkpoint`. */
function checkpoint(spec: Fields, scope: ProgramScope): Code | undefined {
  if (!spec.has('checkpointPath')) {
    return undefined;
  }
  const location = String(spec.take('checkpointPath'));
  const details = spec.has('checkpoint') && Object.keys(spec.peek('checkpoint') as object).length > 0 ? spec.object('checkpoint') : undefined;
  const claimName = details && (details.peek('claimName') as string | undefined);
  const options = new Entries();
  if (claimName !== undefined) {
    details!.take('claimName');
    // Without a folder, the construct would choose one.
    options.add('path', literal(location)).add('folder', plain(details!, 'subPath') ?? literal(''));
  }
  if (details !== undefined) {
    options.add('resumeFrom', plain(details, 'resumeFrom'))
      .add('gracePeriod', typed(details, 'gracePeriodSeconds', scope, (seconds) => duration(seconds, scope)))
      .add('keepLast', plain(details, 'keepLast'));
  }
  const rest = options.entries.length > 0 ? [object(options.entries)] : [];
  const factory = `${scope.use('trainyard', 'Checkpoint')}.`;
  return claimName === undefined
    ? call(`${factory}at`, literal(location), ...rest)
    : call(`${factory}onClaim`, text(scope.existing('PersistentVolumeClaim', 'fromClaimName', claimName, '-claim')), ...rest);
}

function plain(spec: Fields, field: string): Code | undefined {
  return given(spec.take(field));
}

/** The construct leaves out an empty map. */
function nonEmpty(values: unknown): Code | undefined {
  return isRecord(values) && Object.keys(values).length > 0 ? literal(values) : undefined;
}

/** `spec.code` as an existing `CodeBundle`, because the manifest has only the digest of the archive. Undefined if it has no typed form. */
function codeBundle(value: unknown, scope: ProgramScope): Code | undefined {
  if (!isRecord(value)) {
    return undefined;
  }
  const { digest, configMap, configMaps, url, mountPath, secretName, fetchImage, ...unknown } = value;
  const texts = [digest, configMap, url, mountPath, secretName, fetchImage].every((entry) => entry === undefined || typeof entry === 'string');
  const isList = Array.isArray(configMaps) && configMaps.every((entry) => typeof entry === 'string');
  const places = [configMap, configMaps, url].filter((place) => place !== undefined);
  // A bundle in ConfigMaps has no credentials.
  const isTyped = (configMaps === undefined || isList) && (url !== undefined || secretName === undefined) && Object.keys(unknown).length === 0;
  if (!texts || digest === undefined || places.length !== 1 || !isTyped) {
    return undefined;
  }
  const options = new Entries().add('mountPath', given(mountPath)).add('fetchImage', given(fetchImage));
  if (secretName !== undefined) {
    options.add('credentials', text(scope.existing('Secret', 'fromSecretName', secretName as string)));
  }
  const rest = options.entries.length > 0 ? [object(options.entries)] : [];
  const factory = `${scope.use('trainyard', 'CodeBundle')}.`;
  if (url !== undefined) {
    return call(`${factory}fromUrl`, literal(url), literal(digest), ...rest);
  }
  const existing = (name: string) => text(scope.existing('ConfigMap', 'fromConfigMapName', name));
  return isList
    ? call(`${factory}fromConfigMaps`, { items: configMaps.map((name) => existing(name as string)) }, literal(digest), ...rest)
    : call(`${factory}fromConfigMap`, existing(configMap as string), literal(digest), ...rest);
}
