import { clusterAccess } from './cluster';
import { TestKubelet } from './kubelet';
import { installOperator, startOperator, type Installation, type OperatorProcess } from './operator';
import { TestApi } from './test-api';
import { TestJobs } from './training-jobs';

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
