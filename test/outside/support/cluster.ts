/** kubectl against the control plane of this worker, each time as a person who works in one namespace. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { KUBECTL_VARIABLE } from './project';
import { outsideEnvironment } from './shell';
import { cacheFolder } from '../../../src/local/cache-folder';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { AllDefinitions } from '../../cluster/support/all-definitions';
import { clusterAccess, clusterKubeconfig, type TestObject } from '../../cluster/support/cluster';
import { installDefinition } from '../../cluster/support/crds';
import { apiRequest } from '../../../src/local/control-plane';

/** Variables with which kubectl, and whatever reads a kubeconfig, works in a namespace of the suite's control plane. @param folder for its files */
export function clusterEnvironment(folder: string, namespace: string): NodeJS.ProcessEnv {
  const config = JSON.parse(fs.readFileSync(clusterKubeconfig(), 'utf8')) as { contexts: { context: { namespace?: string } }[] };
  config.contexts[0].context.namespace = namespace;
  // Not in the folder: pages bundle what is there.
  const home = path.join(path.dirname(path.dirname(folder)), 'homes', path.basename(folder));
  const bin = path.join(home, 'bin');
  if (!fs.existsSync(bin)) {
    fs.mkdirSync(bin, { recursive: true });
    fs.symlinkSync(process.env[KUBECTL_VARIABLE]!, path.join(bin, 'kubectl'));
    // Where kubectl keeps what it has learned of the API: files that name commands write are written there too.
    fs.mkdirSync(path.join(home, '.config', 'fish', 'completions'), { recursive: true });
  }
  const file = path.join(home, 'kubeconfig');
  fs.writeFileSync(file, JSON.stringify(config));
  // The rest of what is in a person's home is that of the person who runs the tests: caches, and settings of npm.
  const own = os.homedir();
  return {
    KUBECONFIG: file,
    HOME: home,
    PATH: [bin, outsideEnvironment().PATH].join(path.delimiter),
    TRAINYARD_CACHE: cacheFolder(),
    npm_config_cache: process.env.npm_config_cache ?? path.join(own, '.npm'),
    npm_config_userconfig: process.env.npm_config_userconfig ?? path.join(own, '.npmrc'),
  };
}

/** Definitions of kinds, installed when the first object of a kind comes: upstream's, or for a kind that has none a stand-in that takes all. */
export class Definitions {
  private readonly upstream = new AllDefinitions(clusterAccess());
  private readonly standIns = new Map<string, Set<string>>();
  private ours?: Promise<void>;

  /** Makes the API server serve the kinds of objects. @returns kinds of which a stand-in is served */
  public async install(objects: readonly TestObject[]): Promise<readonly string[]> {
    this.ours ??= installDefinition(clusterAccess(), constructTrainingJobCrd() as unknown as TestObject);
    await this.ours;
    const bare = new Set<string>();
    for (const object of new Map(objects.map((one) => [`${one.apiVersion} ${one.kind}`, one])).values()) {
      const isDefinedHere = objects.some(({ kind, spec }) => kind === 'CustomResourceDefinition' && spec?.names.kind === object.kind);
      if (!isDefinedHere && await this.upstream.pathOf(object) === undefined) {
        await this.standIn(object);
        bare.add(`${object.apiVersion} ${object.kind}`);
      }
    }
    return [...bare];
  }

  private async standIn({ apiVersion, kind }: TestObject): Promise<void> {
    const [group, version] = apiVersion!.split('/');
    const plural = `${kind!.toLowerCase()}s`;
    const versions = this.standIns.get(`${plural}.${group}`) ?? new Set();
    this.standIns.set(`${plural}.${group}`, versions.add(version));
    const schema = { openAPIV3Schema: { 'type': 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    await installDefinition(clusterAccess(), {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        // An object that names no namespace is taken as well: kubectl sends it to that of its context.
        scope: 'Namespaced',
        names: { kind, listKind: `${kind}List`, plural, singular: kind!.toLowerCase() },
        versions: [...versions].map((name, index) => ({ name, served: true, storage: index === 0, schema })),
      },
    });
    this.upstream.forget();
  }
}

/** Makes namespaces that are not there, ready to take pods. */
export async function ensureNamespaces(names: Iterable<string>): Promise<void> {
  for (const name of new Set(names)) {
    await apiRequest(clusterAccess(), 'POST', '/api/v1/namespaces', { body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } });
  }
}
