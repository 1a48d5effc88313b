/**
 * Launchers of jobs as they would be in their pods: the files of the ConfigMap, the account's token, the account's Role; and servers that they
 * talk with.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Chart, Testing } from 'cdk8s';
import { Framework, type TrainingJobProps } from '../../../../src';
import { clusterAccess, mustRequest, type TestObject } from '../../support/cluster';
import { NOBODY, create, jobsPath, objectionsTo } from '../../support/submit';

/** What the tests of a file share. */
export const suite = { namespace: '', folder: '', children: [] as ChildProcess[], servers: [] as http.Server[] };

const COLLECTIONS: { readonly [kind: string]: string } = {
  ScaledJob: '/apis/keda.sh/v1alpha1/namespaces/NAMESPACE/scaledjobs',
  TriggerAuthentication: '/apis/keda.sh/v1alpha1/namespaces/NAMESPACE/triggerauthentications',
  Trigger: '/apis/eventing.knative.dev/v1/namespaces/NAMESPACE/triggers',
  ServiceAccount: '/api/v1/namespaces/NAMESPACE/serviceaccounts',
  ConfigMap: '/api/v1/namespaces/NAMESPACE/configmaps',
  Service: '/api/v1/namespaces/NAMESPACE/services',
  Deployment: '/apis/apps/v1/namespaces/NAMESPACE/deployments',
  CronJob: '/apis/batch/v1/namespaces/NAMESPACE/cronjobs',
  Role: '/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/roles',
  RoleBinding: '/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/rolebindings',
};

/** What is started. */
export const JOB: TrainingJobProps = { framework: Framework.plain(), image: 'train:1', command: ['train'], replicas: 2, metadata: { labels: { team: 'a' } } };

export function synthesize(program: (chart: Chart) => void): TestObject[] {
  const chart = new Chart(Testing.app(), 'events', { namespace: suite.namespace });
  program(chart);
  return Testing.synth(chart) as TestObject[];
}

export const collectionOf = (kind: string) => COLLECTIONS[kind].replace('NAMESPACE', suite.namespace);

export const objections = (objects: readonly TestObject[]) => objectionsTo(objects, ({ kind }) => collectionOf(kind!));

/** A launcher as it would be in its pod. */
export interface Launched {
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Operators of other tests leave the jobs alone. */
function byNobody(template: string): string {
  const launch = JSON.parse(template);
  return JSON.stringify(launch.job.kind === 'MLTrainingJob' ? { ...launch, job: { ...launch.job, spec: { ...launch.job.spec, managedBy: NOBODY } } } : launch);
}

/** Creates account and Role of a construct, and lays its files and the account's token where the pod would have them. */
export async function install(program: (chart: Chart) => void): Promise<Launched> {
  const objects = synthesize(program);
  const one = (kind: string) => objects.find((object) => object.kind === kind)!;
  for (const object of objects.filter(({ kind }) => ['ServiceAccount', 'Role', 'RoleBinding'].includes(kind!))) {
    await create(collectionOf(object.kind!), object);
  }
  // An engine's drivers can have an account too: the launcher's is the one that its pod names.
  const pods = JSON.stringify(objects.filter(({ kind }) => kind !== 'ConfigMap'));
  const account = objects.filter(({ kind }) => kind === 'ServiceAccount').map(({ metadata }) => metadata.name).find((name) => pods.includes(`"serviceAccountName":"${name}"`));
  const directory = path.join(suite.folder, one('ConfigMap').metadata.name);
  const credentials = path.join(directory, 'credentials');
  mkdirSync(credentials, { recursive: true });
  for (const [name, text] of Object.entries(one('ConfigMap').data as { [name: string]: string })) {
    writeFileSync(path.join(directory, name), name === 'launch.json' ? byNobody(text) : text);
  }
  const { url, ca } = clusterAccess();
  const { body } = await mustRequest<TestObject>('POST', `${collectionOf('ServiceAccount')}/${account}/token`, {
    apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec: {},
  });
  writeFileSync(path.join(credentials, 'token'), body.status.token);
  writeFileSync(path.join(credentials, 'ca.crt'), ca!);
  const { hostname, port } = new URL(url);
  return {
    directory,
    env: {
      PATH: process.env.PATH, HOME: process.env.HOME, KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, TRAINYARD_LAUNCHER_CREDENTIALS: credentials, no_proxy: '127.0.0.1',
    },
  };
}

export interface Ended {
  readonly code: number | null;
  readonly log: string[];
}

/** Runs the program to its end. */
export async function run({ directory, env }: Launched, more: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const child = spawn('python3', ['-B', '-u', path.join(directory, 'main.py')], { env: { ...env, ...more } });
  suite.children.push(child);
  let text = '';
  child.stdout.on('data', (part: Buffer) => {
    text += part.toString();
  });
  child.stderr.on('data', (part: Buffer) => {
    text += part.toString();
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, log: text.split('\n').filter((line) => line !== '') };
}

export async function listen(handler: http.RequestListener): Promise<string> {
  const server = http.createServer(handler);
  suite.servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function bodyOf(request: http.IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) {
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts).toString();
}

export async function jobsOf(launcher: string): Promise<TestObject[]> {
  const { body } = await mustRequest<{ items: TestObject[] }>('GET', `${jobsPath(suite.namespace)}?labelSelector=ml.collabnix.io/launcher=${launcher}`);
  return body.items;
}

export function eventOf(job: TestObject): { [field: string]: unknown } {
  const { value } = job.spec.env.find(({ name }: { name: string }) => name === 'TRAINYARD_EVENT');
  return JSON.parse(Buffer.from(value, 'base64').toString());
}

/** Marks a job as its operator would. */
export async function end(name: string, condition: 'Succeeded' | 'Failed'): Promise<void> {
  const conditions = [{ type: condition, status: 'True', reason: 'Test', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }];
  await mustRequest('PATCH', `${jobsPath(suite.namespace)}/${name}/status`, { status: { conditions } }, 'application/merge-patch+json');
}
