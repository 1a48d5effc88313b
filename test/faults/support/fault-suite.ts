import { FaultyApi } from './faulty-api';
import { TestNodes, type Fate, type Run } from './nodes';
import { SeededRandom } from './random';
import { Recorder } from './recorder';
import { ControlPlane, type ControlPlaneOptions } from '../../../src/local/control-plane';
import { LEASE_NAME } from '../../../src/operator/training/config';
import { eventually } from '../../cluster/support/cluster';
import { installOperator, startOperator, type Installation, type OperatorProcess } from '../../cluster/support/operator';
import { TestApi } from '../../cluster/support/test-api';
import { TestJobs } from '../../cluster/support/training-jobs';

/** An operator that leads, and what it speaks to. */
export interface LeaderWithFaults {
  readonly operator: OperatorProcess;
  readonly proxy: FaultyApi;
}

/** What the tests of one file of faults share: a control plane, nodes that take pods by themselves, and a recorder of what must never be. */
export interface FaultSuite {
  readonly plane: ControlPlane;
  readonly api: TestApi;
  readonly installation: Installation;
  /** Of the running test. */
  readonly namespace: string;
  readonly jobs: TestJobs;
  readonly recorder: Recorder;
  /** What becomes of the pods of a job, by its name; they run until they are stopped where nothing is said. */
  readonly fates: Map<string, (run: Run) => Fate | undefined>;
  /** An API server with faults in front of the real one; closed after the test. */
  readonly faultyApi: () => Promise<FaultyApi>;
  /** Starts an operator, which is killed after the test. @param api what it speaks to; by default the API server itself */
  readonly start: (name: string, api?: FaultyApi, env?: { readonly [name: string]: string }, installation?: Installation) => OperatorProcess;
  /** Starts an operator that reaches the API server through one with faults, and waits until it leads. */
  readonly startLeader: (name: string, env?: { readonly [name: string]: string }) => Promise<LeaderWithFaults>;
  /** Starts an operator that reaches the API server itself, and waits until it stands by. */
  readonly startStandby: (name: string, env?: { readonly [name: string]: string }) => Promise<OperatorProcess>;
  /** Who holds the lease. */
  readonly leader: () => Promise<string>;
  /** Waits until an operator holds the lease and works. */
  readonly leads: (operator: OperatorProcess) => Promise<void>;
}

/**
 * Declares the set-up of a file of faults. After each test nothing that must never be has been: no replica had two pods, no gang two attempts at
 * once, and no job that had ended went on.
 */
export function describeFaults(options: ControlPlaneOptions = {}): FaultSuite {
  const suite = {} as { -readonly [field in keyof FaultSuite]: FaultSuite[field] };
  const proxies: FaultyApi[] = [];
  const operators: OperatorProcess[] = [];
  let nodes: TestNodes;

  suite.faultyApi = async () => {
    const proxy = await FaultyApi.start(suite.plane.access());
    proxies.push(proxy);
    return proxy;
  };
  suite.start = (name, api, env = {}, installation = suite.installation) => {
    const operator = startOperator(api?.throughIt(installation) ?? installation, { POD_NAME: name, STATUS_COUNTS_SECONDS: '1', ...env });
    operators.push(operator);
    return operator;
  };
  suite.startLeader = async (name, env) => {
    const proxy = await suite.faultyApi();
    const operator = suite.start(name, proxy, env);
    await suite.leads(operator);
    return { operator, proxy };
  };
  suite.startStandby = async (name, env) => {
    const operator = suite.start(name, undefined, env);
    await operator.logs('operator starts');
    return operator;
  };
  suite.leader = async () => (await suite.api.get('leases', suite.installation.namespace, LEASE_NAME)).spec.holderIdentity as string;
  suite.leads = async (operator) => { await operator.logs('controller started'); };

  beforeAll(async () => {
    suite.plane = await ControlPlane.start(options);
    suite.api = new TestApi(suite.plane.access());
    suite.installation = await installOperator(suite.api, await suite.api.createNamespace('operator', false));
  });
  afterAll(async () => {
    await suite.plane?.stop();
    suite.installation?.removeFiles();
  });
  beforeEach(async () => {
    suite.namespace = await suite.api.createNamespace('test', false);
    suite.jobs = new TestJobs(suite.api, suite.namespace);
    suite.fates = new Map();
    nodes = new TestNodes(suite.api, new SeededRandom(1), (run) => suite.fates.get(run.job)?.(run));
    suite.recorder = new Recorder(suite.api, (pod, isGone) => nodes.observe(pod, isGone));
    await suite.recorder.start();
  });
  afterEach(async () => {
    await Promise.all(operators.splice(0).map(async (operator) => operator.kill()));
    await Promise.all(proxies.splice(0).map(async (proxy) => proxy.close()));
    nodes.close();
    await suite.recorder.stop();
    await clear(suite);
    expect(suite.recorder.violations).toEqual([]);
  });
  return suite;
}

/** Nobody collects garbage here: jobs and pods of one test would be work for the operators of the next. */
async function clear({ api, namespace, installation }: FaultSuite): Promise<void> {
  for (const kind of ['mltrainingjobs', 'pods', 'services'] as const) {
    for (const { metadata } of await api.list(kind, namespace)) {
      await api.remove(kind, namespace, metadata.name, { gracePeriodSeconds: 0 });
    }
  }
  await api.remove('leases', installation.namespace, LEASE_NAME);
  await eventually('the namespace to be empty', async () => (await api.list('pods', namespace)).length === 0);
}
