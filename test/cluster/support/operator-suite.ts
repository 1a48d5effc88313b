import { clusterAccess, eventually } from './cluster';
import { TestKubelet } from './kubelet';
import { installOperator, startOperator, type Installation, type OperatorProcess } from './operator';
import { TestApi } from './test-api';
import { TestJobs } from './training-jobs';
import { ControlPlane, type ControlPlaneOptions } from '../../../src/local/control-plane';

/** What the tests of one file share: one operator on the shared control plane, and a fresh namespace for each test. */
export interface OperatorSuite {
  readonly api: TestApi;
  readonly installation: Installation;
  readonly operator: OperatorProcess;
  /** Of the running test. */
  readonly namespace: string;
  readonly jobs: TestJobs;
  readonly kubelet: TestKubelet;
  /** Starts the operator again that a test has killed. */
  readonly restart: () => Promise<void>;
}

/**
 * Declares the set-up of a file that tests the operator: started before its tests with the rights that it has in a cluster, stopped after them.
 * An error in its log fails the file: no test here provokes one.
 */
export function describeOperator(env: { readonly [name: string]: string } = {}): OperatorSuite {
  const suite = {} as { -readonly [field in keyof OperatorSuite]: OperatorSuite[field] };
  suite.restart = async () => {
    // Nobody here minds writes of mere counts, and waiting for them is most of what some tests would do.
    suite.operator = startOperator(suite.installation, { STATUS_COUNTS_SECONDS: '1', ...env });
    await suite.operator.logs('controller started');
  };
  beforeAll(async () => {
    suite.api = new TestApi(clusterAccess());
    suite.installation = await installOperator(suite.api, await suite.api.createNamespace('operator'));
    await suite.restart();
  });
  afterAll(async () => {
    const code = await suite.operator?.stop();
    await suite.api.remove('namespaces', undefined, suite.installation.namespace);
    const complaints = suite.operator.complaints();
    suite.installation.removeFiles();
    expect(complaints).toEqual([]);
    expect(code).toBe(0);
  });
  beforeEach(async () => {
    suite.namespace = await suite.api.createNamespace();
    suite.jobs = new TestJobs(suite.api, suite.namespace);
    suite.kubelet = new TestKubelet(suite.api, suite.namespace);
  });
  afterEach(async () => suite.api.remove('namespaces', undefined, suite.namespace));
  return suite;
}

/** What {@link describeScheduled} sets up. */
export interface ScheduledSetUp extends Pick<ControlPlaneOptions, 'featureGates' | 'runtimeConfig' | 'fakeNodes'> {
  /** What the namespace's name begins with. */
  readonly title: string;
  /** Changes the cluster before the operator starts. @default - nothing is changed */
  readonly prepare?: (api: TestApi) => Promise<unknown>;
}

/** The same on a control plane of its own, whose real scheduler places pods on fake nodes; all tests share a namespace. */
export function describeScheduled({ title, prepare, ...options }: ScheduledSetUp): Pick<OperatorSuite, 'api' | 'namespace' | 'jobs'> {
  const suite = {} as { api: TestApi; namespace: string; jobs: TestJobs };
  let plane: ControlPlane | undefined;
  let installation: Installation | undefined;
  let operator: OperatorProcess | undefined;
  beforeAll(async () => {
    plane = await ControlPlane.start({
      ...options,
      scheduler: true,
      // It lets nodes in. The garbage collector stays out.
      controllerManager: { controllers: ['node-lifecycle-controller'] },
      disableAdmissionPlugins: ['ServiceAccount'],
    });
    suite.api = new TestApi(plane.access());
    await prepare?.(suite.api);
    await suite.api.create('namespaces', undefined, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'trainyard-system' } });
    installation = await installOperator(suite.api, 'trainyard-system');
    operator = startOperator(installation, { STATUS_COUNTS_SECONDS: '1' });
    await operator.logs('controller started');
    await eventually('the nodes to be let in', async () => (await suite.api.list('nodes')).every(({ spec }) => (spec.taints ?? []).length === 0));
    suite.namespace = await suite.api.createNamespace(title, false);
    suite.jobs = new TestJobs(suite.api, suite.namespace);
  });
  afterAll(async () => {
    const complaints = operator?.complaints();
    await operator?.kill();
    await plane?.stop();
    installation?.removeFiles();
    expect(complaints).toEqual([]);
  });
  return suite;
}
