import fs from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { apiRequest, type ApiAccess } from '../../../src/local/control-plane';
import { clusterAccess, eventually, mustRequest, TestObject } from './cluster';

const CRDS_PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/**
 * Installs CustomResourceDefinitions, or updates them to what is given, and waits until the API server serves them.
 *
 * @param sources YAML files (each with one document or more) or objects; documents of other kinds are passed over
 * @returns the warnings of the API server, such as those about schemas that are not structural
 */
export async function installCrds(sources: readonly (string | object)[]): Promise<string[]> {
  const objects = sources.flatMap((source) => typeof source === 'string' ? readYaml(source) : [source as TestObject]);
  const crds = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
  if (crds.length === 0) {
    throw new Error(`installCrds: no CustomResourceDefinition in ${sources.map((source) => typeof source === 'string' ? source : 'object').join(', ')}`);
  }
  const warnings: string[] = [];
  for (const crd of crds) {
    const { name } = crd.metadata;
    const apply = `${CRDS_PATH}/${name}?fieldManager=trainyard-test&force=true`;
    warnings.push(...(await mustRequest('PATCH', apply, crd, 'application/apply-patch+yaml')).warnings);
  }
  await Promise.all(crds.map(async (crd) => waitUntilServed(crd)));
  return warnings;
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
  const { group, names, versions } = crd.spec;
  const { status, body } = await apiRequest(access, 'PATCH', `${CRDS_PATH}/${crd.metadata.name}?fieldManager=trainyard-test&force=true`,
    { body: crd, contentType: 'application/apply-patch+yaml' });
  if (status >= 300) {
    throw new Error(`the CustomResourceDefinition ${crd.metadata.name} was refused with ${status}: ${body.message}`);
  }
  const { name: version } = versions.find(({ served }: { served: boolean }) => served);
  await eventually(`the API server to serve ${crd.metadata.name}`, async () => (
    (await apiRequest(access, 'GET', `/apis/${group}/${version}/${names.plural}`)).status === 200));
}

/** All documents of a YAML file. */
export function readYaml(file: string): TestObject[] {
  return parseAllDocuments(fs.readFileSync(file, 'utf8')).map((document) => {
    if (document.errors.length > 0) {
      throw new Error(`${file}: ${document.errors[0].message}`);
    }
    return document.toJS() as TestObject;
  }).filter((object) => object !== null);
}

async function waitUntilServed(crd: TestObject): Promise<void> {
  const { name } = crd.metadata;
  await eventually(`the CustomResourceDefinition ${name} to be established`, async () => {
    const { body } = await mustRequest('GET', `${CRDS_PATH}/${name}`);
    return (body.status?.conditions ?? []).some(({ type, status }: { type: string; status: string }) => type === 'Established' && status === 'True');
  });
  // The condition is set a moment before the handler of the new resource is in place.
  const { name: version } = crd.spec.versions.find(({ served }: { served: boolean }) => served);
  await eventually(`the API server to serve ${name}`, async () => {
    return (await apiRequest(clusterAccess(), 'GET', `/apis/${crd.spec.group}/${version}/${crd.spec.names.plural}`)).status === 200;
  });
}

/** CustomResourceDefinitions of one upstream system. */
export interface UpstreamCrds {
  /** Name and version of the system, such as `jobset-v0.12.0`. */
  readonly system: string;
  readonly files: readonly string[];
}

const REPOSITORY_ROOT = path.resolve(__dirname, '..', '..', '..');

/**
 * The upstream CRDs that this machine has: in the folder `TRAINYARD_CRDS`, else in `../shared/crds` beside the repository.
 *
 * @returns undefined when there is no such folder, so that a test can say that it skips
 * @throws Error when TRAINYARD_CRDS is set to something that is no folder
 */
export function readUpstreamCrds(env: NodeJS.ProcessEnv = process.env): UpstreamCrds[] | undefined {
  const folder = env.TRAINYARD_CRDS ?? path.join(REPOSITORY_ROOT, '..', 'shared', 'crds');
  if (!fs.existsSync(folder)) {
    if (env.TRAINYARD_CRDS) {
      throw new Error(`TRAINYARD_CRDS is "${env.TRAINYARD_CRDS}", which does not exist. Set it to a folder with one sub-folder of YAML files per system.`);
    }
    return undefined;
  }
  return fs.readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ system: name, files: yamlFiles(path.join(folder, name)) }))
    .sort((one, other) => one.system < other.system ? -1 : 1);
}

function yamlFiles(folder: string): string[] {
  return fs.readdirSync(folder).filter((name) => /\.ya?ml$/.test(name)).sort().map((name) => path.join(folder, name));
}
