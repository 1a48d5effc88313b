/**
 * Objects that name each other, by what is in one place: a program, or what one command was given. What is not there may be in the cluster, so only
 * a name that contradicts what is there is an error.
 */
import { CHECK_RULES } from './rule-list';
import { FindingCollector, type Finding } from '../findings';
import { jsonText, record, records } from '../json-parts';
import { hasIdentity, type ManifestObject } from '../objects/manifest-object';
import { workloadKindOf } from '../kinds/registry';
import { groupOf } from '../objects/builtin-kinds';
import { keyOf, podLabels, relationsOf, type Relation } from '../references/relations';
import { isClusterScoped, isSelected, kindKey, type NamedTarget } from '../references/targets';
import { entryFor } from '../lists';
import { didYouMean } from '../violations';

/** Objects of one place, by kind and name. */
export class ObjectsOfPlace {
  private readonly byKind = new Map<string, Map<string, ManifestObject[]>>();
  private readonly madeSecrets = new Set<string>();

  public constructor(private readonly objects: readonly ManifestObject[]) {
    for (const object of objects.filter(hasIdentity)) {
      const kind = keyOf(object);
      const names = entryFor(this.byKind, kind, () => new Map<string, ManifestObject[]>());
      entryFor(names, nameOf(object), () => []).push(object);
      for (const { target, verb } of MAKERS.has(kind) ? relationsOf(object, false) : []) {
        if (verb === 'makes' && 'name' in target) {
          this.madeSecrets.add(target.name);
        }
      }
    }
  }

  /** What an object names wrongly. @param text the object as JSON, where it is at hand */
  public check(object: ManifestObject, text?: string): Finding[] {
    const findings = new FindingCollector();
    this.checkOwnNamespace(object, findings);
    if (NOT_CHECKED.has(jsonText(object.kind))) {
      return findings.findings;
    }
    for (const relation of relationsOf(object, false, text)) {
      if ('name' in relation.target) {
        this.checkNamed(object, relation, relation.target, findings);
      }
    }
    this.checkServicePorts(object, findings);
    return findings.findings;
  }

  /** What an object names and is not here: it has to be in the cluster. */
  public outside(object: ManifestObject): OutsideReference[] {
    const isChecked = hasIdentity(object) && !NOT_CHECKED.has(object.kind!);
    return !isChecked ? [] : relationsOf(object, false).flatMap(({ path, value, verb, target }) => {
      if (!('name' in target) || NOT_NEEDED.has(verb) || record(value).optional === true) {
        return [];
      }
      const { namespace, there } = this.lookUp(object, target);
      const made = target.kind === 'Secret' && this.madeSecrets.has(target.name);
      return there.length > 0 || made ? [] : [{ path, value, group: target.group, kind: target.kind, name: target.name, namespace }];
    });
  }

  /** Objects of the name that an object refers to, and which of them it can mean. */
  private lookUp(object: ManifestObject, target: NamedTarget) {
    const cluster = isClusterScoped(target.group, target.kind);
    const namespace = cluster ? undefined : target.namespace ?? object.metadata?.namespace;
    const sameName = this.byKind.get(kindKey(target.group, target.kind))?.get(target.name) ?? [];
    return { namespace, sameName, there: sameName.filter((other) => cluster || isIn(other, namespace)) };
  }

  private checkNamed(object: ManifestObject, { path, value, verb }: Relation, target: NamedTarget, findings: FindingCollector): void {
    const { namespace, sameName, there } = this.lookUp(object, target);
    if (there.length > 0) {
      this.checkFound(object, { path, value, target, found: there[0] }, findings);
      return;
    }
    if (verb === 'makes' || verb === 'owned by' || (target.kind === 'Secret' && this.madeSecrets.has(target.name)) || record(value).optional === true) {
      return;
    }
    if (sameName.length > 0) {
      const elsewhere = sameName.map((other) => other.metadata!.namespace).join(', ');
      findings.error(CHECK_RULES.namespace, path, target.name, `is a ${target.kind} in namespace ${elsewhere} in this program, but it is read in namespace ${namespace}. Create it there, or move one of the two.`);
      return;
    }
    this.checkMissing(path, target, namespace, findings);
  }

  private checkMissing(path: string, { group, kind, name }: NamedTarget, namespace: string | undefined, findings: FindingCollector): void {
    const near = [...this.byKind.get(kindKey(group, kind)) ?? []].filter(([, others]) => others.some((other) => isIn(other, namespace)))
      .map(([other]) => other);
    const guess = near.length === 0 ? '' : didYouMean(name, near.filter((other) => withoutDigits(other) !== withoutDigits(name)));
    const key = kindKey(group, kind);
    if (key === LOCAL_QUEUE && (near.length > 0 || this.byKind.has(CLUSTER_QUEUE))) {
      const known = near.length === 0 ? ' There is none in its namespace: add a LocalQueue.' : ` Queues of the namespace: ${near.join(', ')}.`;
      findings.error(CHECK_RULES.missing, path, name, `is not a LocalQueue of this program in namespace ${namespace ?? 'of the job'}: the job would stay suspended.${guess || known}`);
    } else if (key === CLUSTER_QUEUE && near.length > 0) {
      findings.warn(CHECK_RULES.missing, path, name, `is not a ClusterQueue of this program, which has ${near.join(', ')}: jobs in this queue wait forever unless the cluster has it.${guess}`);
    } else if (key === 'scheduling.k8s.io/PriorityClass' && !name.startsWith('system-')) {
      findings.warn(CHECK_RULES.priorityClass, path, name, `is not a PriorityClass of this program: pods are rejected unless the cluster has it.${guess || ' Add it, or acknowledge this warning if the cluster has it.'}`);
    } else if (guess !== '' && name.length >= SHORTEST_NAME) {
      findings.warn(CHECK_RULES.spelling, path, name, `is not a ${kind} of this program.${guess}`);
    }
  }

  private checkFound(object: ManifestObject, { path, value, target, found }: Found, findings: FindingCollector): void {
    const reference = record(value);
    if (target.kind === 'Secret' || target.kind === 'ConfigMap') {
      const asked = [
        ...(typeof reference.key === 'string' ? [{ key: reference.key, path: `${path}.key` }] : []),
        ...records(reference.items).flatMap(({ key }, index) => (typeof key === 'string' ? [{ key, path: `${path}.items[${index}].key` }] : [])),
      ];
      const keys = ['data', 'stringData', 'binaryData'].flatMap((field) => Object.keys(record(found[field])));
      // A Secret without data is filled by another controller.
      for (const { key, path: at } of keys.length === 0 || reference.optional === true ? [] : asked.filter((one) => !keys.includes(one.key))) {
        findings.error(CHECK_RULES.key, at, key, `is not a key of ${target.kind} ${target.name}, which has ${keys.slice(0, 5).join(', ')}${keys.length > 5 ? ', ...' : ''}.${didYouMean(key, keys)}`);
      }
    }
    if (target.kind === 'Secret' && path.endsWith('.imagePullSecrets') && typeof found.type === 'string' && !PULL_TYPES.includes(found.type)) {
      findings.error(CHECK_RULES.pullSecret, path, target.name, `is a Secret of type ${found.type}, which holds no registry credentials. Use ${PULL_TYPES[0]}, with the key .dockerconfigjson.`);
    }
    if (target.kind === 'PersistentVolumeClaim' && groupOf(jsonText(object.apiVersion)) !== 'autoscaling') {
      this.checkClaim(object, { path, value, target, found }, findings);
    }
  }

  private checkClaim(object: ManifestObject, { path, target, found }: Found, findings: FindingCollector): void {
    const modes = record(found.spec).accessModes;
    const single = Array.isArray(modes) && modes.length > 0 && modes.every((mode) => mode === 'ReadWriteOnce' || mode === 'ReadWriteOncePod');
    const pods = podsOf(object, target.name);
    if (single && pods > 1) {
      findings.error(CHECK_RULES.claimMode, path, target.name, `has access mode ${(modes as string[]).join(', ')}, and ${pods} pods mount it: pods on any node but the first never start. Use ReadWriteMany.`);
    }
  }

  private checkServicePorts(object: ManifestObject, findings: FindingCollector): void {
    const { selector, ports } = record(object.spec);
    if (object.kind !== 'Service' || groupOf(jsonText(object.apiVersion)) !== '' || selector === undefined) {
      return;
    }
    const labels = record(selector) as { readonly [label: string]: string };
    const selected = this.objects.filter((other) => other.metadata?.namespace === object.metadata?.namespace && HAS_PODS.has(keyOf(other))
      && podLabels(other).some((own) => isSelected({ matchLabels: labels }, own)));
    const names = selected.flatMap((other) => portNamesIn(other));
    for (const [index, { targetPort }] of records(ports).entries()) {
      if (selected.length > 0 && typeof targetPort === 'string' && !/^\d+$/.test(targetPort.slice(0, 6)) && !names.includes(targetPort)) {
        findings.error(CHECK_RULES.servicePort, `spec.ports[${index}].targetPort`, targetPort,
          `is not the name of a port of the pods that the Service selects (${selected.map(({ kind, metadata }) => `${kind} ${metadata?.name}`).join(', ')}).${didYouMean(targetPort, names) || ' Name the port in the pods, or use its number.'}`);
      }
    }
  }

  /** A namespace that is spelt nearly as one of the program's. */
  private checkOwnNamespace({ metadata }: ManifestObject, findings: FindingCollector): void {
    const names = this.byKind.get('Namespace');
    const namespace = metadata?.namespace;
    if (names !== undefined && typeof namespace === 'string' && !names.has(namespace) && namespace.length >= 3) {
      const guess = didYouMean(namespace, [...names.keys()].filter((name) => withoutDigits(name) !== withoutDigits(namespace)));
      if (guess !== '') {
        findings.warn(CHECK_RULES.spelling, 'metadata.namespace', namespace, `is not a Namespace of this program.${guess}`);
      }
    }
  }
}

/** Relations to what is made, not read. */
const NOT_NEEDED = new Set(['makes', 'owned by', 'defines', 'binds to', 'to', 'stands for']);

/** A name of something outside. */
export interface OutsideReference {
  readonly path: string;
  readonly value: unknown;
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  /** @default - none, or that in which the object is applied */
  readonly namespace?: string;
}

interface Found {
  readonly path: string;
  readonly value: unknown;
  readonly target: NamedTarget;
  readonly found: ManifestObject;
}

const LOCAL_QUEUE = 'kueue.x-k8s.io/LocalQueue';
const CLUSTER_QUEUE = 'kueue.x-k8s.io/ClusterQueue';

/** Kinds that make Secrets. */
const MAKERS = new Set(['external-secrets.io/ExternalSecret', 'cert-manager.io/Certificate']);

/** Kinds whose contents name nothing of their own cluster, or everything. */
const NOT_CHECKED = new Set(['CustomResourceDefinition', 'ConfigMap', 'Secret', 'ValidatingAdmissionPolicy', 'Event']);

const PULL_TYPES = ['kubernetes.io/dockerconfigjson', 'kubernetes.io/dockercfg'];

const HAS_PODS = new Set(['Pod', 'apps/Deployment', 'apps/StatefulSet', 'apps/DaemonSet', 'batch/Job']);

/** Shorter names are near to everything. */
const SHORTEST_NAME = 4;

/** How many pods of an object mount a claim, at the least. */
function podsOf({ kind, apiVersion, spec: written }: ManifestObject, claim: unknown): number {
  const spec = record(written);
  const number = (value: unknown) => (typeof value === 'number' ? value : 0);
  switch (kindKey(groupOf(jsonText(apiVersion)), jsonText(kind))) {
    case 'apps/Deployment':
      return number(spec.replicas);
    case 'ml.collabnix.io/MLTrainingJob':
      return spec.roles === undefined ? number(spec.replicas) : records(spec.roles).reduce((sum, role) => sum + number(role.replicas ?? 1), 0);
    default: {
      const sets = workloadKindOf({ apiVersion, kind })?.pods?.(spec).sets ?? [];
      const mounting = sets.filter(({ pod }) => records(pod.volumes).some((volume) => record(volume.persistentVolumeClaim).claimName === claim));
      // What mounts it is not always in the object: a TrainJob's runtime has the template.
      return (mounting.length > 0 ? mounting : sets).reduce((sum, { count }) => sum + count, 0);
    }
  }
}

function portNamesIn(object: ManifestObject): string[] {
  const pod = object.kind === 'Pod' ? record(object.spec) : record(record(record(object.spec).template).spec);
  return [...records(pod.containers), ...records(pod.initContainers)].flatMap(({ ports }) => records(ports)).flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
}

/** Whether an object is in a namespace, or can be: either of them may not be known. */
function isIn({ metadata }: ManifestObject, namespace: string | undefined): boolean {
  return namespace === undefined || metadata?.namespace === undefined || metadata.namespace === namespace;
}

function nameOf({ metadata }: ManifestObject): string {
  return jsonText(metadata?.name ?? '');
}

/** Names that differ in numbers only are of a series. */
function withoutDigits(name: string): string {
  return name.replace(/\d/g, '0');
}
