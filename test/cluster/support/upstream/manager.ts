/** What managers that run as processes on this machine have in common: their configuration, certificates and webhooks. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { eventually, type TestObject } from '../cluster';
import type { TestApi } from '../test-api';
import type { Child } from '../../../../src/local/control-plane/child-process';

/** Where controller-runtime looks for certificates of its webhooks, below the folder for temporary files. */
export const SERVING_CERTIFICATES = path.join('k8s-webhook-server', 'serving-certs');

/** A webhook that the API server asks. */
export interface LocalWebhook {
  readonly name: string;
  readonly url: string;
  readonly caBundle: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Whether it changes objects. @default false - it refuses or takes them */
  readonly mutates?: boolean;
  /** @default - creations and updates */
  readonly operations?: readonly ('CREATE' | 'UPDATE')[];
}

/** A configuration of a manager that serves its webhooks on loopback and nothing else. */
export function managerConfiguration(
  group: string, version: string, webhook: { readonly port: number; readonly certDir?: string }, more: object,
): object {
  return {
    apiVersion: `${group}/${version}`,
    kind: 'Configuration',
    health: { healthProbeBindAddress: '0' },
    metrics: { bindAddress: '0' },
    webhook: { host: '127.0.0.1', ...webhook },
    leaderElection: { leaderElect: false },
    ...more,
  };
}

/**
 * Writes `tls.key` and `tls.crt` for a server on this machine.
 * @param isPkcs1 whether the key is one of RSA in its older form
 * @returns the certificate, as webhook configurations want it
 */
export function makeCertificate(folder: string, isPkcs1 = false): string {
  const [key, certificate] = ['tls.key', 'tls.crt'].map((file) => path.join(folder, file));
  const kind = isPkcs1 ? ['rsa:2048'] : ['ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  execFileSync('openssl', [
    'req', '-x509', '-newkey', ...kind, '-nodes', '-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', certificate,
  ], { stdio: 'ignore' });
  if (isPkcs1) {
    execFileSync('openssl', ['rsa', '-in', key, '-traditional', '-out', key], { stdio: 'ignore' });
  }
  return fs.readFileSync(certificate).toString('base64');
}

/** Has the API server ask webhooks. */
export async function registerWebhooks(api: TestApi, webhooks: readonly LocalWebhook[]): Promise<void> {
  for (const { name, url, caBundle, group, version, resource, mutates = false, operations = ['CREATE', 'UPDATE'] } of webhooks) {
    await api.send('POST', `/apis/admissionregistration.k8s.io/v1/${mutates ? 'mutating' : 'validating'}webhookconfigurations`, {
      metadata: { name },
      webhooks: [{
        name, admissionReviewVersions: ['v1'], sideEffects: 'None', clientConfig: { url, caBundle },
        rules: [{ apiGroups: [group], apiVersions: [version], resources: [resource], operations }],
      }],
    });
  }
}

/** Has the API server ask the webhooks of a release's manifests, which serve on this machine. */
export async function registerOnLoopback(api: TestApi, configurations: readonly TestObject[], port: number, caBundle: string): Promise<void> {
  for (const configuration of configurations) {
    const webhooks = (configuration.webhooks as readonly { clientConfig: { service: { path: string } } }[])
      .map((webhook) => ({ ...webhook, clientConfig: { url: `https://127.0.0.1:${port}${webhook.clientConfig.service.path}`, caBundle } }));
    await api.send('POST', `/apis/admissionregistration.k8s.io/v1/${configuration.kind!.toLowerCase()}s`, { ...configuration, webhooks });
  }
}

/** Waits until a program has logged that it serves. @throws Error with its last lines where it ends before */
export async function untilSaid(program: Child, line: string): Promise<void> {
  await Promise.race([
    eventually(`${program.name} to start`, async () => fs.readFileSync(program.logFile, 'utf8').includes(line)),
    program.exited.then(() => Promise.reject(new Error(`${program.name} does not start:\n${program.lastLogLines(5)}`))),
  ]);
}
