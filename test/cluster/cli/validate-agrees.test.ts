/**
 * `trainyard validate` and a real API server come to the same end: about every refused manifest of our own definition, and about objects of upstream
 * definitions that were changed at random.
 */
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { Definitions } from '../../../src/cli/crd/definitions';
import { validateObject } from '../../../src/cli/crd/validate-object';
import { WIDGET_CRD, widget } from '../../cli/validate/widget-crd';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { readUpstreamCrds } from '../../support/upstream-definitions';
import { installCrds, readYaml, removeCrd } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { judge } from '../support/submit';
import type { JsonRecord } from '../../../src/model/json-parts';

const root = temporaryFolder();
const widgetFile = path.join(root, 'widget.json');

/** A file of upstream's definitions and an object of it that is right. */
interface Upstream {
  readonly file: string;
  readonly object: JsonRecord;
}

const pod = { spec: { containers: [{ name: 'main', image: 'image', resources: { limits: { cpu: '1', memory: 1 } }, ports: [{ containerPort: 80 }] }], restartPolicy: 'Never' } };
const object = (apiVersion: string, kind: string, spec: object): JsonRecord => ({ apiVersion, kind, metadata: { name: 'x' }, spec });

const UPSTREAM: readonly Upstream[] = [
  {
    file: 'jobsets.jobset.x-k8s.io.yaml',
    object: object('jobset.x-k8s.io/v1alpha2', 'JobSet', {
      replicatedJobs: [
        { name: 'driver', replicas: 1, template: { spec: { template: pod } } },
        { name: 'workers', dependsOn: [{ name: 'driver', status: 'Ready' }], template: { spec: { parallelism: 2, template: pod } } },
      ],
      failurePolicy: { maxRestarts: 3, rules: [{ name: 'host', action: 'FailJobSet', targetReplicatedJobs: ['workers'], onJobFailureReasons: ['PodFailurePolicy'] }] },
      successPolicy: { operator: 'All', targetReplicatedJobs: ['driver'] },
      network: { enableDNSHostnames: true, subdomain: 'net' },
      suspend: false,
    }),
  },
  {
    file: 'trainjobs.trainer.kubeflow.org.yaml',
    object: object('trainer.kubeflow.org/v1alpha1', 'TrainJob', {
      runtimeRef: { name: 'torch' },
      trainer: { image: 'image', numNodes: 2, command: ['python'], env: [{ name: 'A', value: 'b' }], resourcesPerNode: { limits: { cpu: '1' } } },
      managedBy: 'trainer.kubeflow.org/trainjob-controller',
    }),
  },
  {
    file: 'pytorchjobs.kubeflow.org.yaml',
    object: object('kubeflow.org/v1', 'PyTorchJob', {
      pytorchReplicaSpecs: { Master: { replicas: 1, restartPolicy: 'OnFailure', template: pod } },
      runPolicy: { backoffLimit: 3, cleanPodPolicy: 'None', schedulingPolicy: { minAvailable: 1 } },
      elasticPolicy: { minReplicas: 1, maxReplicas: 2, rdzvBackend: 'c10d' },
    }),
  },
  {
    file: 'clusterqueues.kueue.x-k8s.io.yaml',
    object: object('kueue.x-k8s.io/v1beta2', 'ClusterQueue', {
      namespaceSelector: {},
      queueingStrategy: 'BestEffortFIFO',
      cohortName: 'all',
      resourceGroups: [{ coveredResources: ['cpu'], flavors: [{ name: 'spot', resources: [{ name: 'cpu', nominalQuota: 4, borrowingLimit: '2' }] }] }],
      preemption: { reclaimWithinCohort: 'Any', borrowWithinCohort: { policy: 'LowerPriority', maxPriorityThreshold: 100 }, withinClusterQueue: 'LowerPriority' },
      flavorFungibility: { whenCanBorrow: 'MayStopSearch', whenCanPreempt: 'TryNextFlavor' },
      stopPolicy: 'None',
    }),
  },
  {
    file: 'httproutes.gateway.networking.k8s.io.yaml',
    object: object('gateway.networking.k8s.io/v1', 'HTTPRoute', {
      parentRefs: [{ name: 'a' }, { name: 'b', sectionName: 'http' }],
      hostnames: ['a.example.com'],
      rules: [{
        matches: [{ path: { type: 'PathPrefix', value: '/a' }, headers: [{ name: 'x', value: 'y' }], method: 'GET' }],
        filters: [{ type: 'RequestRedirect', requestRedirect: { statusCode: 301, port: 80, scheme: 'https' } }],
        timeouts: { request: '10s', backendRequest: '5s' },
      }],
    }),
  },
  {
    file: 'jobs.batch.volcano.sh.yaml',
    object: object('batch.volcano.sh/v1alpha1', 'Job', {
      minAvailable: 2, queue: 'default', maxRetry: 3, ttlSecondsAfterFinished: 10,
      tasks: [{ name: 'worker', replicas: 2, template: pod, policies: [{ event: 'PodFailed', action: 'RestartJob' }] }],
      plugins: { env: [], svc: [] },
    }),
  },
  {
    file: 'podmonitors.monitoring.coreos.com.yaml',
    object: object('monitoring.coreos.com/v1', 'PodMonitor', {
      selector: { matchLabels: { a: 'b' } },
      podMetricsEndpoints: [{ port: 'http', interval: '30s', path: '/metrics', scheme: 'HTTP', relabelings: [{ action: 'replace', sourceLabels: ['a'], modulus: 3 }] }],
      sampleLimit: 10,
    }),
  },
];

/** What a changed object has somewhere in the place of something else. */
const VALUES: readonly unknown[] = [
  null, '', 'word', 'TWO words', 'a'.repeat(300), 0, -1, 1, 3.5, 2 ** 31, 2 ** 40, true, [], {}, ['x'], ['x', 'x'], [{}], { name: 'x' }, { unknown: 1 }, '10s', '5Gi', 'http://x',
];

type Change = { readonly kind: 'replace' | 'remove' | 'add' | 'repeat'; readonly place: number; readonly value: unknown };

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('replace', 'replace', 'remove', 'add', 'repeat'), place: fc.nat(), value: fc.constantFrom(...VALUES),
});

/** Objects and lists below `spec`, and `spec` itself. */
function containers(value: unknown): (JsonRecord | unknown[])[] {
  return typeof value !== 'object' || value === null ? [] : [value as JsonRecord, ...Object.values(value).flatMap(containers)];
}

function changed(original: JsonRecord, changes: readonly Change[]): JsonRecord {
  const copy = JSON.parse(JSON.stringify(original)) as { spec: JsonRecord };
  for (const { kind, place, value: given } of changes) {
    const value = structuredClone(given);
    const all = containers(copy.spec);
    const target = all[place % all.length] as { [key: string]: unknown } | unknown[];
    const keys = Object.keys(target);
    const key = keys[Math.floor(place / all.length) % Math.max(keys.length, 1)];
    if (Array.isArray(target)) {
      if (kind === 'repeat' && target.length > 0) {
        target.push(structuredClone(target[0]));
      } else if (kind === 'remove') {
        target.pop();
      } else {
        target.push(value);
      }
    } else if (kind === 'add') {
      target.unknownField = value;
    } else if (key !== undefined && kind === 'remove') {
      delete target[key];
    } else if (key !== undefined) {
      target[key] = value;
    }
  }
  return copy as unknown as JsonRecord;
}

let namespace: string;

beforeAll(async () => {
  namespace = await createNamespace('validate');
  fs.writeFileSync(widgetFile, JSON.stringify(WIDGET_CRD));
});

afterAll(async () => deleteNamespace(namespace));

async function agree(definitions: Definitions, collection: string, candidate: JsonRecord): Promise<boolean> {
  const lookup = definitions.lookup(candidate.apiVersion as string, candidate.kind as string);
  if (!('found' in lookup)) {
    throw new Error(`no definition of ${String(candidate.kind)}`);
  }
  const { findings, unchecked } = validateObject(lookup.found, candidate);
  const verdict = await judge(collection, candidate);
  if (findings.length === 0 && unchecked.length > 0) {
    return verdict.status !== 201;
  }
  const isRefused = verdict.status !== 201;
  // The server does not look at the type of a field that has a format: it takes a list for a date. We do not.
  if (!isRefused && findings.length > 0 && findings.every(({ message }) => message === 'must be a string. It is a list.')) {
    return false;
  }
  if (isRefused !== findings.length > 0) {
    const ours = findings.map(({ rule, path: field, message }) => `${rule} ${field}: ${message}`);
    throw new Error(`We say: ${ours.join('; ') || 'valid'}. The server says: ${verdict.message || 'valid'}. ${JSON.stringify(candidate.spec)}`);
  }
  return isRefused;
}

function collectionOf(crd: { readonly [field: string]: unknown }, apiVersion: string): string {
  const { group, names, scope } = crd.spec as { readonly group: string; readonly names: { readonly plural: string }; readonly scope: string };
  const version = apiVersion.split('/')[1];
  return `/apis/${group}/${version}/${scope === 'Cluster' ? '' : `namespaces/${namespace}/`}${names.plural}`;
}

/** Changes the object again and again, and asks both sides about each. Both have to refuse some, and to accept some. */
async function compare(definitions: Definitions, collection: string, original: JsonRecord): Promise<void> {
  expect(await agree(definitions, collection, original)).toBe(false);
  let [refused, accepted] = [0, 0];
  await fc.assert(fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
    const isRefused = await agree(definitions, collection, changed(original, changes));
    refused += isRefused ? 1 : 0;
    accepted += isRefused ? 0 : 1;
  }), { numRuns: Number(process.env.TRAINYARD_VALIDATE_RUNS ?? 150) });
  expect(refused).toBeGreaterThan(10);
  expect(accepted).toBeGreaterThan(0);
}

test('about a definition that has everything', async () => {
  await installCrds([WIDGET_CRD]);
  try {
    await compare(Definitions.read([widgetFile]), collectionOf(WIDGET_CRD, 'test.trainyard.dev/v1'), widget({
      low: 1, high: 2, ratio: 0.5, step: 10, colour: 'red', code: 'abc', title: 'title', enabled: true, port: 'http', every: '1h', since: '2026-01-31T08:00:00Z',
      memory: '5Mi', tags: ['a', 'b'], parts: [{ name: 'a', count: 2 }, { name: 'b' }], limits: { a: 1 }, free: { a: [1] }, source: { url: 'x' }, maybe: null,
    }) as JsonRecord);
  } finally {
    await removeCrd('widgets.test.trainyard.dev', 'v1');
  }
});

const upstream = readUpstreamCrds().flatMap(({ files }) => files);
const fileOf = (name: string) => upstream.find((file) => path.basename(file) === name)!;

describe('about objects of', () => {
  test.each(UPSTREAM)('$object.kind', async ({ file, object: original }) => {
    await installCrds([fileOf(file)]);
    await compare(Definitions.read([fileOf(file)]), collectionOf(readYaml(fileOf(file))[0], original.apiVersion as string), original);
  });
});
