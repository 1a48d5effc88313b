import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { eventually, type TestObject } from './cluster';
import type { ResourceName, TestApi } from './test-api';
import { Child } from '../../../src/local/control-plane/child-process';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { constructOperatorFlowSchema, constructOperatorRoles, constructOperatorServiceAccount } from '../../../src/manifests/operator/access';
import { OPERATOR_NAME } from '../../../src/manifests/operator/settings';
import { OPERATOR, programArguments } from '../../support/bundled';

const RESOURCE_OF_KIND: { readonly [kind: string]: ResourceName } = {
  ClusterRole: 'clusterroles', ClusterRoleBinding: 'clusterrolebindings', Role: 'roles', RoleBinding: 'rolebindings',
};

/** Variables of an operator whose progress endpoint is reached on this machine, at the port that it logs. */
export const LOCAL_ENDPOINT = { PROGRESS_URL: 'https://127.0.0.1', PROGRESS_PORT: '0', PROGRESS_HOST: '127.0.0.1' } as const;

/** An operator that is installed. */
export interface Installation {
  readonly namespace: string;
  /** Has the rights of the operator's ServiceAccount. */
  readonly kubeconfig: string;
  /** Removes the kubeconfig and the logs of all operators that were started with it. */
  readonly removeFiles: () => void;
}

/**
 * Installs what the operator needs around it, as the `TrainingOperator` construct does: CRD, ServiceAccount, roles and bindings, FlowSchema. The
 * kubeconfig holds a token of that ServiceAccount, so that the operator under test may do exactly what it may do in a cluster.
 *
 * @param watchNamespaces namespaces whose jobs it may run; all when empty
 * @param shards parts that the jobs are divided into
 */
export async function installOperator(api: TestApi, namespace: string, watchNamespaces: readonly string[] = [], shards = 1): Promise<Installation> {
  await api.apply('customresourcedefinitions', undefined, constructTrainingJobCrd());
  await eventually('the API server to serve MLTrainingJobs', async () => api.list('mltrainingjobs').then(() => true, () => false));
  await api.apply('serviceaccounts', namespace, constructOperatorServiceAccount(namespace));
  for (const manifest of constructOperatorRoles(namespace, watchNamespaces, true, shards) as unknown as TestObject[]) {
    await api.apply(RESOURCE_OF_KIND[manifest.kind!], manifest.metadata.namespace, manifest);
  }
  await api.apply('flowschemas', undefined, constructOperatorFlowSchema(namespace, shards));
  return accessOperator(api, namespace);
}

/** Credentials of an operator that is installed in a namespace: those of its ServiceAccount. */
export async function accessOperator(api: TestApi, namespace: string): Promise<Installation> {
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 7200 } };
  const { status: { token } } = await api.create('serviceaccounts', namespace, request, OPERATOR_NAME, 'token');
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-operator-'));
  const kubeconfig = path.join(folder, 'kubeconfig');
  fs.writeFileSync(kubeconfig, JSON.stringify({
    'apiVersion': 'v1',
    'kind': 'Config',
    'clusters': [{ name: 'test', cluster: { 'server': api.access.url, 'certificate-authority-data': Buffer.from(api.access.ca).toString('base64') } }],
    'users': [{ name: 'operator', user: { token } }],
    'contexts': [{ name: 'test', context: { cluster: 'test', user: 'operator' } }],
    'current-context': 'test',
  }), { mode: 0o600 });
  return { namespace, kubeconfig, removeFiles: () => fs.rmSync(folder, { recursive: true, force: true }) };
}

/** A line of the operator's log. */
export interface LogLine {
  readonly level: string;
  readonly msg: string;
  // Tests look at whatever fields a message has.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly [field: string]: any;
}

/** A running operator. */
export class OperatorProcess {
  public constructor(public readonly child: Child) {}

  /** All lines that it has logged. */
  public log(): LogLine[] {
    const text = fs.readFileSync(this.child.logFile, 'utf8');
    return text.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as LogLine);
  }

  /** What it logged as an error, or printed without being asked. */
  public complaints(): string[] {
    return fs.readFileSync(this.child.logFile, 'utf8').split('\n').filter((line) => line !== '' && !/^\{"level":"(debug|info|warn)"/.test(line));
  }

  /** Waits for a line of the log. */
  public async logs(msg: string): Promise<LogLine> {
    return eventually(`the operator to log "${msg}"`, async () => {
      if (!this.child.running) {
        throw new Error(`the operator has ended: ${this.child.lastLogLines()}`);
      }
      return this.log().find((line) => line.msg === msg);
    });
  }

  /** SIGKILL, and waits for the end. */
  public async kill(): Promise<void> {
    this.child.kill();
    await this.child.exited;
  }

  /** SIGTERM, and waits for the end. @returns the exit code */
  public async stop(): Promise<number | null> {
    return (await this.child.stop(30_000)).code;
  }
}

/** The operator's environment as `NAME=value`, as in the Deployment but for its ports, which have to be free. */
export function operatorEnvironment(installation: Installation, env: { readonly [name: string]: string } = {}): string[] {
  const variables = {
    KUBECONFIG: installation.kubeconfig,
    POD_NAMESPACE: installation.namespace,
    POD_NAME: 'operator-0',
    HEALTH_PORT: '0',
    HEALTH_HOST: '127.0.0.1',
    LOG_FORMAT: 'json',
    ...env,
  };
  return Object.entries(variables).map(([name, value]) => `${name}=${value}`);
}

/**
 * Starts the operator as a process of its own: the bundle, or the sources where those are newer.
 *
 * @param env further variables
 */
export function startOperator(installation: Installation, env: { readonly [name: string]: string } = {}): OperatorProcess {
  const folder = fs.mkdtempSync(path.join(path.dirname(installation.kubeconfig), 'run-'));
  return new OperatorProcess(new Child({
    name: 'operator',
    command: 'env',
    args: [...operatorEnvironment(installation, env), process.execPath, ...program()],
    logFile: path.join(folder, 'log'),
  }));
}

let chosen: readonly string[] | undefined;

/** Arguments of node: the bundle named by `TRAINYARD_TEST_OPERATOR`, else ours. */
function program(): readonly string[] {
  const given = process.env.TRAINYARD_TEST_OPERATOR;
  chosen ??= given ? [given] : programArguments(OPERATOR);
  return chosen;
}
