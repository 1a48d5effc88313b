/**
 * Argo CD beside the embedded control plane: its application controller, its repository server and Redis, as processes on loopback. There is no
 * server for people, and nobody needs one: the controller reads Applications.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { ARGO_CD } from './program';
import { findRedis, startRedis } from './redis';
import { findGoProgram, type Found } from '../upstream/go-program';
import { Child } from '../../../../src/local/control-plane/child-process';
import type { ControlPlane } from '../../../../src/local/control-plane';
import { freePorts } from '../../../../src/local/control-plane/ports';
import { httpStatus, waitUntil } from '../../../../src/local/control-plane/readiness';
import { installDefinition, readYaml } from '../crds';
import { eventually, type TestObject } from '../cluster';
import { upstreamCrds } from '../../../support/upstream-definitions';
import type { TestApi } from '../test-api';

const run = promisify(execFile);

/** Namespace that Argo CD lives in. */
export const ARGO_CD_NAMESPACE = 'argocd';

const APPLICATIONS = `/apis/argoproj.io/v1alpha1/namespaces/${ARGO_CD_NAMESPACE}/applications`;

/** Whatever an Application may be waited for in: a limit for a hanging test, not a measure of speed. */
const PATIENCE_MS = 150_000;

/**
 * After how many seconds an Application is looked at again by the clock. It now and then overlooks that a child of it became healthy, and goes on at
 * its next look: with its own 120 s and up to 60 s more, a chain of Applications may outlast all patience.
 */
const RESYNC_SECONDS = 10;

/** The programs that Argo CD is run from. */
export interface ArgoCdPrograms {
  readonly argoCd: string;
  readonly redis: string;
}

/** The programs, or why the tests go on without. */
export function findArgoCdPrograms(): { readonly programs?: ArgoCdPrograms; readonly missing?: string } {
  const argoCd = findGoProgram(ARGO_CD);
  const redis: Found = argoCd.program === undefined ? {} : findRedis();
  return argoCd.program !== undefined && redis.program !== undefined
    ? { programs: { argoCd: argoCd.program, redis: redis.program } }
    : { missing: argoCd.missing ?? redis.missing };
}

/** Data of `argocd-cm`. */
export interface ArgoCdConfiguration {
  readonly [key: string]: string;
}

/** A running Argo CD. */
export class ArgoCd {
  /** Starts it, and makes what it needs in the cluster. @param folder for its files and logs */
  public static async start(programs: ArgoCdPrograms, plane: ControlPlane, api: TestApi, folder: string): Promise<ArgoCd> {
    for (const crd of upstreamCrds('argo-cd').flatMap(readYaml)) {
      await installDefinition(api.access, crd);
    }
    await configure(api);
    const [redisPort, repoPort, repoMetrics, controllerMetrics] = await freePorts(4);
    const argoCd = new ArgoCd(api);
    const start = (name: string, ...args: string[]): Child => argoCd.keep(new Child({
      name: `argocd-${name}`,
      command: programs.argoCd,
      args,
      logFile: path.join(folder, `${name}.log`),
      env: {
        ...environment(folder, plane.kubeconfigPath), ARGOCD_BINARY_NAME: `argocd-${name}`,
      },
    }));
    try {
      argoCd.keep(startRedis(programs.redis, folder, redisPort));
      const repoServer = start('repo-server', '--address', '127.0.0.1', '--port', String(repoPort), '--metrics-address', '127.0.0.1', '--metrics-port', String(repoMetrics),
        '--redis', `127.0.0.1:${redisPort}`, '--disable-tls', '--client-ca-path', '');
      await waitUntil(repoServer, 'to be healthy', PATIENCE_MS, async () => await httpStatus(`http://127.0.0.1:${repoMetrics}/healthz`) === 200);
      start('application-controller', '--kubeconfig', plane.kubeconfigPath, '--namespace', ARGO_CD_NAMESPACE, '--redis', `127.0.0.1:${redisPort}`,
        '--repo-server', `127.0.0.1:${repoPort}`, '--repo-server-plaintext', '--metrics-port', String(controllerMetrics),
        '--persist-resource-health', '--app-resync', String(RESYNC_SECONDS), '--app-resync-jitter', '0');
      return argoCd;
    } catch (error) {
      await argoCd.stop();
      throw error;
    }
  }

  private readonly children: Child[] = [];

  private constructor(private readonly api: TestApi) {}

  /** All Applications, by name. */
  public async applications(): Promise<TestObject[]> {
    return (await this.api.send('GET', APPLICATIONS)).items as TestObject[];
  }

  /** One of them. */
  public async application(name: string): Promise<TestObject> {
    return this.api.send('GET', `${APPLICATIONS}/${name}`);
  }

  /** Has the Applications look into the repository, as a webhook of the repository would. */
  public async refresh(): Promise<void> {
    const patch = { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } } };
    for (const { metadata } of await this.applications()) {
      await this.api.send('PATCH', `${APPLICATIONS}/${metadata.name}`, patch, 'application/merge-patch+json');
    }
  }

  /** Waits until Applications are what `look` asks for. */
  public async until(what: string, look: (applications: ReadonlyMap<string, TestObject>) => boolean): Promise<void> {
    let last: TestObject[] = [];
    try {
      await eventually(what, async () => {
        this.checkAlive();
        last = await this.applications();
        return look(new Map(last.map((application) => [application.metadata.name, application])));
      }, PATIENCE_MS);
    } catch (error) {
      const states = last.map(({ metadata, status }) => `${metadata.name}: ${JSON.stringify({
        sync: status?.sync?.status, revision: status?.sync?.revision ?? status?.sync?.revisions,
        health: status?.health, conditions: status?.conditions,
        operation: status?.operationState && { phase: status.operationState.phase, message: status.operationState.message },
        resources: status?.resources?.filter(({ status: sync, health }: TestObject) => sync !== 'Synced' || (health && health.status !== 'Healthy')),
      })}`);
      throw new Error(`${(error as Error).message}; there are\n${states.join('\n')}\n${this.logs()}`, { cause: error });
    }
  }

  /** Ends all its processes. */
  public async stop(): Promise<void> {
    await Promise.all([...this.children].reverse().map(async (child) => child.stop(5_000)));
  }

  private keep(child: Child): Child {
    this.children.push(child);
    return child;
  }

  private checkAlive(): void {
    const dead = this.children.find(({ running }) => !running);
    if (dead !== undefined) {
      throw new Error(`${dead.name} has ended: ${dead.lastLogLines()}`);
    }
  }

  private logs(): string {
    return this.children.slice(1).map((child) => `${child.name}:\n${child.lastLogLines(8)}`).join('\n');
  }
}

/** As Argo CD is installed, with nothing of ours. */
async function configure(api: TestApi): Promise<void> {
  const labels = { 'app.kubernetes.io/part-of': 'argocd' };
  const object = (kind: string, name: string, more: object) => ({ apiVersion: 'v1', kind, metadata: { name, namespace: ARGO_CD_NAMESPACE, labels }, ...more });
  await api.apply('namespaces', undefined, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ARGO_CD_NAMESPACE } });
  await api.apply('configmaps', ARGO_CD_NAMESPACE, object('ConfigMap', 'argocd-cm', {}));
  await api.apply('configmaps', ARGO_CD_NAMESPACE, object('ConfigMap', 'argocd-cmd-params-cm', { data: {} }));
  await api.apply('configmaps', ARGO_CD_NAMESPACE, object('ConfigMap', 'argocd-rbac-cm', { data: {} }));
  await api.apply('secrets', ARGO_CD_NAMESPACE, object('Secret', 'argocd-secret', { stringData: { 'server.secretkey': 'only-for-this-test' } }));
}

/** Its files stay in one folder, and the cluster that it runs in is the control plane. */
function environment(folder: string, kubeconfig: string): NodeJS.ProcessEnv {
  const [temporary, programs] = ['tmp', 'bin'].map((name) => path.join(folder, name));
  fs.mkdirSync(temporary, { recursive: true });
  fs.mkdirSync(programs, { recursive: true });
  // A script of Argo CD's image, which says how a commit is signed: these are not.
  fs.writeFileSync(path.join(programs, 'git-verify-wrapper.sh'), '#!/bin/sh\n', { mode: 0o755 });
  return {
    ...process.env, PATH: `${programs}${path.delimiter}${process.env.PATH}`, KUBECONFIG: kubeconfig, HOME: folder, TMPDIR: temporary,
    ARGOCD_FAKE_IN_CLUSTER: 'true', ARGOCD_GPG_ENABLED: 'false',
    ARGOCD_ASK_PASS_SOCK: path.join(temporary, 'ask-pass.sock'), ARGOCD_TLS_DATA_PATH: folder, ARGOCD_SSH_DATA_PATH: folder,
  };
}

/**
 * What Argo CD's own command says of the health of objects, in their order.
 * @param configuration of `argocd-cm`
 */
export async function healthByArgoCd(
  program: string, folder: string, configuration: ArgoCdConfiguration, objects: readonly object[],
): Promise<string[]> {
  const settings = path.join(folder, 'argocd-cm.json');
  const metadata = { name: 'argocd-cm', namespace: ARGO_CD_NAMESPACE, labels: { 'app.kubernetes.io/part-of': 'argocd' } };
  fs.writeFileSync(settings, JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: configuration }));
  const answers: string[] = [];
  for (const [index, object] of objects.entries()) {
    const file = path.join(folder, `object-${index}.json`);
    fs.writeFileSync(file, JSON.stringify(object));
    const args = ['admin', 'settings', 'resource-overrides', 'health', file, '--argocd-cm-path', settings];
    answers.push((await run(program, args, { env: { ...process.env, HOME: folder, ARGOCD_BINARY_NAME: 'argocd' } })).stdout);
  }
  return answers;
}
