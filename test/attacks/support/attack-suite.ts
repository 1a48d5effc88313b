import type https from 'node:https';
import { Bystander } from './bystander';
import { ControlPlane, type ControlPlaneOptions } from '../../../src/local/control-plane';
import { OPERATOR_PROGRESS_SECRET } from '../../../src/manifests/operator/settings';
import { CONTROLLERS } from '../../cluster/support/controllers';
import { TestKubelet } from '../../cluster/support/kubelet';
import { LOCAL_ENDPOINT, installOperator, startOperator, type Installation, type OperatorProcess } from '../../cluster/support/operator';
import { ProgressClient } from '../../cluster/support/progress-client';
import { TestApi, type ResourceName } from '../../cluster/support/test-api';
import { TestJobs } from '../../cluster/support/training-jobs';

/** What the attacks of one file share: a control plane with the operator and a bystander, and a fresh namespace of the attacker for each test. */
export interface AttackSuite {
  readonly plane: ControlPlane;
  /** As the administrator. */
  readonly api: TestApi;
  readonly installation: Installation;
  /** The operator under attack. */
  readonly operator: OperatorProcess;
  readonly bystander: Bystander;
  /** Of the running test: the attacker's. */
  readonly namespace: string;
  /** Of the attacker's namespace, with the rights of the administrator. */
  readonly jobs: TestJobs;
  readonly kubelet: TestKubelet;
  /** A client of the progress endpoint, with further options of its connections. */
  readonly endpoint: (connection?: https.RequestOptions) => Promise<ProgressClient>;
  /** The API as a ServiceAccount of the attacker's namespace that has these rights there, and no others. */
  readonly account: (name: string, rules: readonly Rule[]) => Promise<TestApi>;
  /** The API as a user of `plane.users`, with whatever the test's RBAC objects give to it. */
  readonly user: (name: string) => TestApi;
}

/** A rule of a Role. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** Settings of {@link describeAttacks}. */
export interface AttackOptions {
  /** Further variables of the operator. */
  readonly env?: { readonly [name: string]: string };
  /** Further options of the control plane, such as its users. */
  readonly plane?: ControlPlaneOptions;
  /** Arguments of node before the operator's program, such as a limit of memory, as `NODE_OPTIONS` takes them. */
  readonly nodeOptions?: string;
}

/**
 * Declares the set-up of a file of attacks: the operator as it is shipped, on a control plane of its own. After each test the bystander must have
 * noticed nothing, and the operator must still be the process that was started, and still lead.
 */
export function describeAttacks({ env = {}, plane = {}, nodeOptions }: AttackOptions = {}): AttackSuite {
  const suite = {} as { -readonly [field in keyof AttackSuite]: AttackSuite[field] };

  suite.endpoint = async (connection) => {
    const { port } = await suite.operator.logs('progress endpoint is listening');
    const { data } = await suite.api.get('secrets', suite.installation.namespace, OPERATOR_PROGRESS_SECRET);
    return new ProgressClient(suite.api, port as number, Buffer.from(data['ca.crt'] as string, 'base64').toString('utf8'), connection);
  };
  suite.user = (name) => new TestApi(suite.plane.access(name));
  suite.account = async (name, rules) => accountOf(suite.api, suite.namespace, name, rules);

  beforeAll(async () => {
    suite.plane = await ControlPlane.start({ controllerManager: { controllers: CONTROLLERS }, ...plane });
    suite.api = new TestApi(suite.plane.access());
    suite.installation = await installOperator(suite.api, await suite.api.createNamespace('operator'));
    suite.operator = startOperator(suite.installation, {
      ...LOCAL_ENDPOINT, ...nodeOptions === undefined ? {} : { NODE_OPTIONS: nodeOptions }, ...env,
    });
    await suite.operator.logs('controller started');
    suite.bystander = await Bystander.start(suite.api, suite.endpoint);
  });
  afterAll(async () => {
    await suite.bystander?.stop();
    const code = await suite.operator?.stop();
    await suite.plane?.stop();
    suite.installation?.removeFiles();
    expect(code).toBe(0);
  });
  beforeEach(async () => {
    suite.namespace = await suite.api.createNamespace('attacker');
    suite.jobs = new TestJobs(suite.api, suite.namespace);
    suite.kubelet = new TestKubelet(suite.api, suite.namespace);
  });
  afterEach(async () => {
    expect(await suite.bystander.problems()).toEqual([]);
    expect(suite.operator.child.running ? 'running' : suite.operator.child.lastLogLines()).toBe('running');
    expect(suite.operator.log().filter(({ msg }) => msg === 'lost leadership')).toEqual([]);
    await suite.api.remove('namespaces', undefined, suite.namespace);
  });
  return suite;
}

async function accountOf(api: TestApi, namespace: string, name: string, rules: readonly Rule[]): Promise<TestApi> {
  const create = async (resource: ResourceName, object: object) => api.create(resource, namespace, { ...object, metadata: { name } });
  await create('serviceaccounts', { apiVersion: 'v1', kind: 'ServiceAccount' });
  await create('roles', { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', rules });
  await create('rolebindings', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  });
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } };
  const { status: { token } } = await api.create('serviceaccounts', namespace, request, name, 'token');
  return new TestApi({ ...api.access, token: token as string });
}
