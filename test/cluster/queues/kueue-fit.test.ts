/**
 * Kueue's own manager, configured as a platform configures it, is asked what the check at synth says: what can never fit is never admitted there, and
 * Kueue says the same number; what can is admitted on an idle cluster. Skipped, and said so, where the manager is not there
 * (test/cluster/support/upstream).
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { KueueWorld } from './support/kueue-worlds';
import { ControlPlane } from '../../../src/local/control-plane';
import type { Child } from '../../../src/local/control-plane/child-process';
import { kueueConfiguration } from '../../../src/manifests/platform/kueue-configuration';
import { API_GROUP, API_VERSION, TRAINING_JOB_KIND } from '../../../src/model/labels';
import { QueueCapacities } from '../../../src/model/queues/capacity';
import { fitProblems } from '../../../src/model/queues/fit';
import { KUEUE_INTEGRATIONS } from '../../../src/model/platform/kueue-integrations';
import type { KueueSettings } from '../../../src/model/platform/spec';
import { FITTING, NEVER_FITTING, pods } from '../../support/queues/fit-cases';
import { landscape } from '../../support/queues/landscapes';
import { upstreamCrds } from '../../support/upstream-definitions';
import { readYaml } from '../support/crds';
import { TestApi } from '../support/test-api';
import { findKueueManager, startKueueManager } from '../support/upstream/kueue';
import { testUnless } from '../../support/where-possible';

const found = findKueueManager();
const testWithKueue = testUnless(found.missing, 'Kueue\'s verdict on what fits');

/** Our operator creates its Workloads itself. */
const EXTERNAL = [`${TRAINING_JOB_KIND}.${API_VERSION}.${API_GROUP}`];

let plane: ControlPlane | undefined;
let manager: Child | undefined;
let api: TestApi;
let namespace: string;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-kueue-fit-'));

beforeAll(async () => {
  plane = await ControlPlane.start();
  api = new TestApi(plane.access());
  await api.define(upstreamCrds('kueue').flatMap(readYaml));
  await api.create('namespaces', undefined, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kueue-system' } });
  // As a platform with our operator configures it.
  const configuration = kueueConfiguration({ fairSharing: true, usageHalfLifeSeconds: 604_800 }, EXTERNAL);
  manager = await startKueueManager(found.program!, folder, plane.kubeconfigPath, configuration);
  namespace = await api.createNamespace('fit', false);
});
afterAll(async () => {
  await manager?.stop(10_000);
  await plane?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

testWithKueue.each<readonly [string, KueueSettings]>([
  ['no settings', {}],
  ['all settings', {
    fairSharing: true, waitForPodsReadySeconds: 300, manageJobsWithoutQueueName: true, usageHalfLifeSeconds: 60, uncountedResources: ['networking.gke.io/'],
    featureGates: { TASFailedNodeReplacement: true },
  }],
  ...KUEUE_INTEGRATIONS.map((name) => [name, { frameworks: [name] }] as const),
])('Kueue starts with the configuration of a platform: %s', async (_what, settings) => {
  const own = fs.mkdtempSync(path.join(folder, 'start-'));
  const started = await startKueueManager(found.program!, own, plane!.kubeconfigPath, kueueConfiguration(settings, EXTERNAL));
  await started.stop(10_000);
});

/** Cases about what a program knows and Kueue does not: how many nodes there may be, labels that no flavor selects by, and what is elsewhere. */
const NOT_KUEUES = [
  'a cohort that is not in the program', 'what is not counted', 'a node of fewer GPUs', 'too few nodes', 'nodes that the replicas leave a part of',
  'a label of the nodes that the flavor does not select by',
];

/** What Kueue says where the reason is not a number, or another one. */
const KUEUES_WORDS: { readonly [what: string]: RegExp } = {
  // A cohort of which the program knows nothing may lend more than this test's does.
  'a borrowing limit in a cohort that is not in the program': /maximum capacity \(8\)/,
  // Of the flavors that it has tried it tells those of the last turn.
  'roles that no choice of flavors places': /insufficient quota for nvidia.com\/gpu/,
  'a resource without a quota': /resource cpu unavailable in ClusterQueue/,
  'a queue without any quota': /resource cpu unavailable in ClusterQueue/,
  'a taint': /untolerated taint \{team a NoSchedule/,
  'a toleration of another value': /untolerated taint \{team a NoExecute/,
  'a label': /doesn't match node affinity/,
  'the affinity': /doesn't match node affinity/,
  'a topology that the flavor has not': /does not support TopologyAwareScheduling/,
  'a level that the topology has not': /does not contain the requested level/,
  'one node for all': /allows to fit only 1 out of 2 pod\(s\)/,
  'a flavor of topologies beside one without': /supports only TopologyAwareScheduling/,
};

const ofKueue = <T extends readonly [string, ...unknown[]]>(cases: readonly T[]) => cases.filter(([what]) => !NOT_KUEUES.includes(what));
const idOf = (what: string) => what.toLowerCase().replace(/[^a-z0-9]+/g, '-').slice(0, 40).replace(/-$/, '');

testWithKueue.each(ofKueue(FITTING))('Kueue admits what fits: %s', async (what, world, podSets) => {
  const kueue = new KueueWorld(api, namespace, `fits-${idOf(what)}`, world);
  await kueue.create();
  await kueue.submit('job', podSets);
  await kueue.untilAdmitted('job');
});

const refused: KueueWorld[] = [];

testWithKueue.each(ofKueue(NEVER_FITTING))('Kueue never admits, and says the same number: %s', async (what, world, podSets) => {
  const kueue = new KueueWorld(api, namespace, `never-${idOf(what)}`, world);
  await kueue.create();
  await kueue.submit('job', podSets);
  refused.push(kueue);
  const { queue, others = [], cohorts = [], flavors = [] } = world;
  const [problem] = fitProblems(podSets, queue, { clusterQueues: [queue, ...others], cohorts, flavors });
  const ours = problem.split(/[ ,()]+/);
  await kueue.untilRefused('job', (message) => {
    const numbers = [...message.matchAll(/maximum capacity \((\S+?)\)/g)].map(([, most]) => (most.endsWith('m') ? String(Number(most.slice(0, -1)) / 1000) : most));
    return KUEUES_WORDS[what]?.test(message) ?? (numbers.length > 0 && numbers.every((number) => ours.includes(number)));
  });
});

/** Random trees of cohorts: the most that a queue can have, and one more. */
testWithKueue.each(fc.sample(landscape, { numRuns: 25, seed: 7 }).map((world, index) => [index, world] as const))('Kueue admits exactly as much as the sums say: tree %d', async (index, { clusterQueues: [queue, ...others], cohorts }) => {
  const { amount } = new QueueCapacities({ clusterQueues: [queue, ...others], cohorts, flavors: [] }).of(queue, 'f', 'gpu');
  const kueue = new KueueWorld(api, namespace, `tree-${index}`, { queue, others, cohorts });
  await kueue.create();
  await kueue.submit('more', [pods(1, { gpu: amount + 1 })]);
  await kueue.untilRefused('more', (message) => message.includes(`maximum capacity (${amount})`));
  refused.push(kueue);
  if (amount > 0) {
    await kueue.submit('most', [pods(1, { gpu: amount })]);
    await kueue.untilAdmitted('most');
  }
});

testWithKueue('what was refused is not admitted later either, when Kueue has tried all flavors', async () => {
  expect(refused.length).toBeGreaterThan(40);
  for (const kueue of refused) {
    const answers = await Promise.all(['job', 'more'].map(async (name) => kueue.answer(name).catch(() => undefined)));
    expect(answers.filter((answer) => answer?.admitted)).toEqual([]);
  }
});
