import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { loadAll } from 'js-yaml';
import { apiRequest, type ApiAccess } from '../../../src/local/control-plane';
import { clusterAccess, eventually, type TestObject } from './cluster';

const CRDS_PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** On each definition that came from a file: which text it was, and how many definitions came from it. */
const FILE_ANNOTATION = 'test.trainyard.dev/file';

/** Definitions that are applied at a time: all at once, an API server that has to share two processors would let the last ones wait for too long. */
const AT_A_TIME = 4;

/**
 * Installs CustomResourceDefinitions, or updates them to what is given, and waits until the API server serves them. A file whose definitions are
 * there already, as another test has installed them, is not read again: definitions are large, and an API server takes its time over each.
 *
 * @param sources YAML files (each with one document or more) or objects; documents of other kinds are passed over
 * @returns the warnings of the API server, such as those about schemas that are not structural
 */
export async function installCrds(sources: readonly (string | object)[]): Promise<string[]> {
  const there = sources.some((source) => typeof source === 'string') ? await installedFiles() : new Set<string>();
  const found = sources.map((source) => (typeof source === 'string' ? crdsOfFile(source, there) : [source as TestObject].filter(isCrd)));
  if (found.every((crds) => crds?.length === 0)) {
    throw new Error(`installCrds: no CustomResourceDefinition in ${sources.map((source) => typeof source === 'string' ? source : 'object').join(', ')}`);
  }
  const missing = found.flatMap((crds) => crds ?? []);
  const warnings: string[] = [];
  for (let first = 0; first < missing.length; first += AT_A_TIME) {
    const some = missing.slice(first, first + AT_A_TIME).map(async (crd) => applyDefinition(clusterAccess(), crd));
    warnings.push(...(await Promise.all(some)).flat());
  }
  await Promise.all(missing.map(async (crd) => waitUntilServed(clusterAccess(), crd)));
  return warnings;
}

/** Marks of files all of whose definitions are there, and none of them on its way out. */
async function installedFiles(): Promise<Set<string>> {
  const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
  const { body } = await apiRequest<{ items: TestObject[] | null }>(clusterAccess(), 'GET', CRDS_PATH, { accept });
  const counts = new Map<string, number>();
  for (const { metadata } of body.items ?? []) {
    const mark = (metadata.annotations as { [name: string]: string } | undefined)?.[FILE_ANNOTATION];
    if (mark !== undefined && metadata.deletionTimestamp === undefined) {
      counts.set(mark, (counts.get(mark) ?? 0) + 1);
    }
  }
  return new Set([...counts].filter(([mark, count]) => mark.endsWith(`-${count}`)).map(([mark]) => mark));
}

/** Definitions of a file, each with the file's mark; undefined where they are there already. */
function crdsOfFile(file: string, there: ReadonlySet<string>): TestObject[] | undefined {
  const digest = createHash('sha256').update(fs.readFileSync(file)).digest('hex').slice(0, 32);
  if ([...there].some((mark) => mark.startsWith(`${digest}-`))) {
    return undefined;
  }
  const crds = readYaml(file).filter(isCrd);
  const mark = { [FILE_ANNOTATION]: `${digest}-${crds.length}` };
  return crds.map((crd) => ({ ...crd, metadata: { ...crd.metadata, annotations: { ...crd.metadata.annotations as object | undefined, ...mark } } }));
}

function isCrd({ kind }: TestObject): boolean {
  return kind === 'CustomResourceDefinition';
}

/** Removes a CustomResourceDefinition with all its objects, and waits until the API server serves it no longer; one that is not there is fine. */
export async function removeCrd(name: string, version: string): Promise<void> {
  const [plural, ...group] = name.split('.');
  await apiRequest(clusterAccess(), 'DELETE', `${CRDS_PATH}/${name}`);
  await eventually(`the API server to serve ${name} no longer`, async () => (
    (await apiRequest(clusterAccess(), 'GET', `/apis/${group.join('.')}/${version}/${plural}`)).status === 404));
}

/** Installs a definition on any control plane, and waits until its API server serves it. */
export async function installDefinition(access: ApiAccess, crd: TestObject): Promise<void> {
  await applyDefinition(access, crd);
  await waitUntilServed(access, crd);
  await waitUntilDiscovered(access, crd);
}

/** The list of kinds, by which kubectl knows short names and which it keeps for minutes, follows the definitions later. */
async function waitUntilDiscovered(access: ApiAccess, { metadata, spec: { group, names } }: TestObject): Promise<void> {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  await eventually(`the API server to list ${metadata.name}`, async () => {
    const { body } = await apiRequest<{ items?: readonly DiscoveredGroup[] }>(access, 'GET', '/apis', { accept });
    const versions = body.items?.find((item) => item.metadata.name === group)?.versions ?? [];
    return versions.some(({ resources = [] }) => resources.some(({ resource }) => resource === names.plural));
  });
}

/** A group of kinds, as the API server lists it. */
interface DiscoveredGroup {
  readonly metadata: { readonly name: string };
  readonly versions: readonly { readonly resources?: readonly { readonly resource: string }[] }[];
}

/** @returns warnings of the API server */
async function applyDefinition(access: ApiAccess, crd: TestObject): Promise<readonly string[]> {
  const { status, body, warnings } = await apiRequest(access, 'PATCH', `${CRDS_PATH}/${crd.metadata.name}?fieldManager=trainyard-test&force=true`, {
    body: crd,
    contentType: 'application/apply-patch+yaml',
    // Not the whole definition again, which is much to write and to read.
    accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  });
  if (status >= 300) {
    throw new Error(`the CustomResourceDefinition ${crd.metadata.name} was refused with ${status}: ${body.message}`);
  }
  return warnings;
}

/** All documents of a YAML file. */
export function readYaml(file: string): TestObject[] {
  try {
    // Four times as fast as the parser that tells where things stand.
    return (loadAll(fs.readFileSync(file, 'utf8')) as (TestObject | null)[]).filter((object) => object !== null);
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`, { cause: error });
  }
}

async function waitUntilServed(access: ApiAccess, { metadata, spec: { group, names, versions } }: TestObject): Promise<void> {
  const { name: version } = versions.find(({ served }: { served: boolean }) => served);
  await eventually(`the API server to serve ${metadata.name}`, async () => (
    (await apiRequest(access, 'GET', `/apis/${group}/${version}/${names.plural}?limit=1`)).status === 200));
}
