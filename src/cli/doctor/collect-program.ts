/** Reads the objects that a program refers to, and its namespaces. Only names of keys and registries are kept of Secrets. */
import { titleOf, type Program } from './program';
import type { NamespaceFacts, ReferencedObject, ReferenceFacts, Seen } from './snapshot';
import type { TolerantReader } from './tolerant-reader';
import { inParallel, type Discovery } from '../diff/discovery';
import type { AnyObject } from '../jobs/objects';
import { ObjectsOfPlace } from '../../model/checks/reference-rules';
import { record, textIn } from '../../model/json-parts';
import { isClusterScoped } from '../../model/references/targets';
import { NAMESPACES, NETWORK_POLICIES, type ResourceKind } from '../../operator/runtime/resource-kind';

const coreKind = (plural: string, kind: string): ResourceKind => ({ group: '', version: 'v1', plural, kind, namespaced: true });
const QUOTAS = coreKind('resourcequotas', 'ResourceQuota');
const LIMIT_RANGES = coreKind('limitranges', 'LimitRange');
const ACCOUNTS = coreKind('serviceaccounts', 'ServiceAccount');

/** Maximum number of namespaces and references. */
const MOST_NAMESPACES = 10;
const MOST_REFERENCES = 200;

/** Namespaces of the program that it does not create itself. @param namespace of objects that name none */
export async function collectNamespaces(reader: TolerantReader, program: Program, namespace: string): Promise<NamespaceFacts[]> {
  const created = program.objects.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata?.name);
  const names = [...new Set(program.workloads.map((workload) => workload.namespace))];
  const own = names.length > 0 ? names : [namespace];
  return inParallel(reader.first('namespaces', own.filter((name) => !created.includes(name)), MOST_NAMESPACES), async (name): Promise<NamespaceFacts> => {
    const [found, quotas, limits, networkPolicies, defaultAccount] = await Promise.all([
      reader.look<AnyObject>(NAMESPACES, undefined, name), reader.list<AnyObject>(QUOTAS, name), reader.list<AnyObject>(LIMIT_RANGES, name),
      reader.list<AnyObject>(NETWORK_POLICIES, name), reader.look<ReferencedObject>(ACCOUNTS, name, 'default'),
    ]);
    return { name, namespace: found, quotas: quotas ?? [], limits: limits ?? [], networkPolicies: networkPolicies ?? [], defaultAccount };
  });
}

/** References to objects that the program does not contain. */
export async function collectReferences(
  reader: TolerantReader, discovery: Discovery, program: Program, namespace: string,
): Promise<ReferenceFacts[]> {
  const place = new ObjectsOfPlace(program.objects);
  const all = program.objects.flatMap((object) => place.outside(object).map((reference): Omit<ReferenceFacts, 'seen'> => {
    const key = textIn(record(reference.value).key);
    return {
      group: reference.group, kind: reference.kind, name: reference.name,
      namespace: isClusterScoped(reference.group, reference.kind) ? undefined : reference.namespace ?? object.metadata?.namespace ?? namespace,
      usedBy: `${titleOf(object, namespace)}: ${reference.path}`, isPullSecret: reference.path.endsWith('imagePullSecrets'), ...(key !== undefined && { key }),
    };
  }));
  const identity = ({ group, kind, name, namespace: own, key = '' }: Omit<ReferenceFacts, 'seen'>) => JSON.stringify([group, kind, name, own, key]);
  const distinct = [...new Map(all.map((reference) => [identity(reference), reference])).values()];
  return inParallel(reader.first('names', distinct, MOST_REFERENCES), async (reference) => {
    const asked = await reader.ask(`${reference.kind} ${reference.name}`, async () => discovery.preferredResourceOf(reference.group, reference.kind));
    const resource = asked?.answer;
    const seen = asked === undefined ? 'unreadable' : resource === undefined ? 'unknown-kind' : withoutSecrets(await reader.look<ReferencedObject>(resource, reference.namespace ?? namespace, reference.name));
    return { ...reference, namespace: resource?.namespaced === false ? undefined : reference.namespace, seen };
  });
}

interface WithData {
  readonly data?: unknown;
  readonly binaryData?: unknown;
}

function withoutSecrets(seen: Seen<ReferencedObject>): Seen<ReferencedObject> {
  if (typeof seen !== 'object') {
    return seen;
  }
  const { data, binaryData, ...rest } = seen.found as ReferencedObject & WithData;
  const isMap = rest.kind === 'Secret' || rest.kind === 'ConfigMap';
  const registries = registriesOf(rest.type, record(data));
  const keys = [data, binaryData].flatMap((map) => Object.keys(record(map)));
  return { found: { ...rest, ...(isMap && { keys }), ...(registries !== undefined && { registries }) } };
}

/** Registries that a pull secret is for; undefined if it is not a pull secret, or is not readable. */
function registriesOf(type: string | undefined, data: { readonly [key: string]: unknown }): readonly string[] | undefined {
  const text = type === 'kubernetes.io/dockerconfigjson' ? data['.dockerconfigjson'] : type === 'kubernetes.io/dockercfg' ? data['.dockercfg'] : undefined;
  if (typeof text !== 'string') {
    return undefined;
  }
  try {
    const config = JSON.parse(Buffer.from(text, 'base64').toString('utf8')) as unknown;
    return Object.keys(record(type === 'kubernetes.io/dockercfg' ? config : record(config).auths));
  } catch {
    return undefined;
  }
}
