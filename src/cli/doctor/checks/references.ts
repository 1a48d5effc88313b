/** Objects that the program refers to: Secrets, ConfigMaps, accounts, classes, and credentials for registries and buckets. */
import { distinctFaults, type Check, type Fault, type FaultId } from '../finding';
import { command, kubectl } from '../fixes';
import { isOnGke } from '../node-facts';
import { foundIn, type ClusterSnapshot, type ReferenceFacts, type ReferencedObject } from '../snapshot';
import { listed } from '../../text';
import { tryParseImage } from '../../../model/environments/structure';
import { GOOGLE_ACCOUNT_ANNOTATION } from '../../../model/identity/workload-identity';
import { KUEUE_GROUP } from '../../../model/kueue-names';
import { groupOf } from '../../../model/objects/builtin-kinds';
import { didYouMean } from '../../../model/violations';

/** Ids for some kinds; that of the others is `ReferenceMissing`. */
const MISSING: { readonly [kind: string]: FaultId } = {
  Secret: 'SecretMissing', ConfigMap: 'ConfigMapMissing', ServiceAccount: 'ServiceAccountMissing', PriorityClass: 'PriorityClassMissing', RuntimeClass: 'RuntimeClassMissing',
};

/** Kinds that other topics report. */
const ELSEWHERE = ['PersistentVolumeClaim', 'StorageClass', 'LocalQueue', 'ClusterQueue', 'ResourceFlavor', 'Namespace'];

const PULL_TYPES = ['kubernetes.io/dockerconfigjson', 'kubernetes.io/dockercfg'];

/** Default registry of images. */
const DOCKER_HUB = 'docker.io';

export const REFERENCES: Check = {
  topic: 'references',
  run: (snapshot) => {
    // A missing system is reported once.
    const unserved = snapshot.kinds.filter(({ isServed }) => !isServed).map(({ apiVersion }) => groupOf(apiVersion));
    const absent = [...unserved, ...(snapshot.kueue?.isInstalled === false ? [KUEUE_GROUP] : [])];
    const own = snapshot.references.filter(({ kind, group, seen }) => !ELSEWHERE.includes(kind) && !(seen === 'unknown-kind' && absent.includes(group)));
    const found = own.filter(({ seen }) => typeof seen === 'object');
    return {
      faults: [...own.flatMap(referenceFaults), ...registries(snapshot), ...identities(snapshot)],
      ...(found.length > 0 && { passed: `The objects that the program refers to exist: ${listed([...new Set(found.map(({ kind, name }) => `${kind} ${name}`))], 5)}.` }),
    };
  },
};

function referenceFaults({ group, kind, name, namespace, usedBy, key, isPullSecret, seen }: ReferenceFacts): Fault[] {
  const where = namespace === undefined ? '' : ` in the namespace ${namespace}`;
  if (seen === 'missing' || seen === 'unknown-kind') {
    return [{
      id: (group === KUEUE_GROUP ? undefined : MISSING[kind] as FaultId | undefined) ?? 'ReferenceMissing', severity: 'error', what: `There is no ${kind} ${name}${where}. Create it, or correct the name.`,
      evidence: [`Named by ${usedBy}.`, ...(seen === 'unknown-kind' ? [`The cluster has no kind ${kind} of ${group}.`] : [])], fix: create(kind, name, namespace, key, isPullSecret),
    }];
  }
  const found = foundIn(seen);
  if (found === undefined) {
    return [];
  }
  if (isPullSecret && found.type !== undefined && !PULL_TYPES.includes(found.type)) {
    return [{
      id: 'PullSecretType', severity: 'error', what: `The Secret ${name}${where} holds no credentials for a registry: images cannot be pulled with it.`,
      evidence: [`Its type is ${found.type}, and ${PULL_TYPES[0]} is needed.`, `Named by ${usedBy}.`],
      fix: `${kubectl(namespace, 'delete', 'secret', name)} && ${create('Secret', name, namespace, undefined, true)}`,
    }];
  }
  return key === undefined || found.keys === undefined || found.keys.includes(key) ? [] : [{
    id: 'KeyMissing', severity: 'error', what: `The ${kind} ${name}${where} has no key ${key}: the containers that read it do not start.${didYouMean(key, found.keys)}`,
    evidence: [found.keys.length === 0 ? 'It is empty.' : `Its keys: ${listed(found.keys, 8)}.`, `Read by ${usedBy}.`], fix: kubectl(namespace, 'edit', kind.toLowerCase(), name),
  }];
}

/** The command that creates the object. Unknown values are variables of the shell. */
function create(kind: string, name: string, namespace: string | undefined, key: string | undefined, isPullSecret: boolean): string {
  const quoted = (value: string) => `"$${value}"`;
  switch (kind) {
    case 'Secret': return isPullSecret
      ? `${kubectl(namespace, 'create', 'secret', 'docker-registry', name)} --docker-server=${quoted('REGISTRY')} --docker-username=${quoted('REGISTRY_USER')} --docker-password=${quoted('REGISTRY_TOKEN')}`
      : `${kubectl(namespace, 'create', 'secret', 'generic', name, `--from-literal=${key ?? 'value'}=`)}${quoted('VALUE')}`;
    case 'ConfigMap': return `${kubectl(namespace, 'create', 'configmap', name, `--from-literal=${key ?? 'value'}=`)}${quoted('VALUE')}`;
    case 'ServiceAccount': return kubectl(namespace, 'create', 'serviceaccount', name);
    case 'PriorityClass': return command('kubectl', 'create', 'priorityclass', name, '--value=1000');
    default: return kubectl(namespace, 'get', kind.toLowerCase());
  }
}

/** Registry of an image: the first part of its name, if that is a host. */
function registryOf(image: string): string | undefined {
  const repository = tryParseImage(image)?.repository;
  const [host, ...rest] = repository?.split('/') ?? [];
  return repository === undefined ? undefined : rest.length > 0 && /[.:]|^localhost$/.test(host) ? host : DOCKER_HUB;
}

/** Whether an entry of a pull secret is for a registry: `https://index.docker.io/v1/`, `ghcr.io`, `*.azurecr.io`. */
function covers(entry: string, registry: string): boolean {
  const [host] = entry.replace(/^https?:\/\//, '').split('/');
  return host === registry || (registry === DOCKER_HUB && /(?:^|\.)docker\.io$/.test(host)) || (host.startsWith('*.') && registry.endsWith(host.slice(1)));
}

/** Warns about images from registries for which the pod's pull secrets have no credentials. Public images need none. */
function registries({ program, references, namespaces }: ClusterSnapshot): readonly Fault[] {
  const faults = (program?.workloads ?? []).flatMap(({ title, namespace, podSets }) => podSets.flatMap(({ spec }): Fault[] => {
    const named = (spec.imagePullSecrets as readonly { readonly name?: string }[] | undefined) ?? [];
    const account = accountOf({ references, namespaces }, namespace, spec.serviceAccountName ?? 'default');
    const names = [...named, ...named.length > 0 ? [] : account?.imagePullSecrets ?? []].map(({ name }) => name);
    const secrets = names.map((name) => references.find((reference) => reference.kind === 'Secret' && reference.name === name && reference.namespace === namespace))
      .map((reference) => (reference === undefined || reference.seen === 'unknown-kind' ? undefined : foundIn(reference.seen)));
    if (secrets.length === 0 || secrets.some((secret) => secret?.registries === undefined)) {
      return [];
    }
    const known = secrets.flatMap((secret) => secret!.registries!);
    const images = [...spec.containers, ...spec.initContainers ?? []].flatMap(({ image }) => (image === undefined ? [] : [image]));
    const without = images.filter((image) => registryOf(image) !== undefined && !known.some((entry) => covers(entry, registryOf(image)!)));
    // Helper images come from public registries.
    return without.length === 0 || without.length < images.length ? [] : [{
      id: 'PullSecretRegistry', severity: 'warning', what: `The pull secrets of ${title} have no credentials for ${registryOf(without[0])}, which its image ${without[0]} comes from: it can be pulled only if it is public.`,
      evidence: [`${listed(names.map(String))} ${names.length === 1 ? 'is' : 'are'} for ${listed(known, 5)}.`],
      fix: `${kubectl(namespace, 'create', 'secret', 'docker-registry', `${names[0]}-2`, `--docker-server=${registryOf(without[0])}`)} --docker-username="$REGISTRY_USER" --docker-password="$REGISTRY_TOKEN"`,
    }];
  }));
  return distinctFaults(faults);
}

function accountOf({ references, namespaces }: Pick<ClusterSnapshot, 'references' | 'namespaces'>, namespace: string, name: string): ReferencedObject | undefined {
  const facts = namespaces.find((candidate) => candidate.name === namespace);
  const named = references.find((reference) => reference.kind === 'ServiceAccount' && reference.name === name && reference.namespace === namespace);
  return named !== undefined && named.seen !== 'unknown-kind' ? foundIn(named.seen) : name === 'default' && facts !== undefined ? foundIn(facts.defaultAccount) : undefined;
}

/** Warns on GKE about pods that use a bucket with an account that is not linked to a Google account. It may have roles of its own. */
function identities(snapshot: ClusterSnapshot): readonly Fault[] {
  const faults = !isOnGke(snapshot.nodes) ? [] : (snapshot.program?.workloads ?? []).flatMap(({ title, namespace, podSets, object }): Fault[] => {
    const bucket = /gs:\/\/[a-z0-9._-]+/.exec(JSON.stringify(object.spec ?? {}))?.[0];
    return bucket === undefined ? [] : podSets.flatMap(({ spec }): Fault[] => {
      const name = spec.serviceAccountName ?? 'default';
      const account = accountOf(snapshot, namespace, name);
      return account === undefined || account.metadata?.annotations?.[GOOGLE_ACCOUNT_ANNOTATION] !== undefined ? [] : [{
        id: 'WorkloadIdentityMissing', severity: 'warning',
        what: `${title} uses ${bucket}, and its service account ${name} is linked to no Google account: it can read the bucket only if roles were granted to it directly.`,
        evidence: [`ServiceAccount ${namespace}/${name} has no annotation ${GOOGLE_ACCOUNT_ANNOTATION}.`],
        fix: `${kubectl(namespace, 'annotate', 'serviceaccount', name, `${GOOGLE_ACCOUNT_ANNOTATION}=`)}"$GOOGLE_ACCOUNT"`,
      }];
    });
  });
  return distinctFaults(faults);
}
