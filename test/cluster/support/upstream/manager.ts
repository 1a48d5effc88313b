/** What managers that run as processes on this machine have in common: their configuration, certificates and webhooks. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { TestApi } from '../test-api';

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

/** Writes `tls.key` and `tls.crt` for a server on this machine. @returns the certificate, as webhook configurations want it */
export function makeCertificate(folder: string): string {
  execFileSync('openssl', [
    'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=localhost',
    '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', path.join(folder, 'tls.key'), '-out', path.join(folder, 'tls.crt'),
  ], { stdio: 'ignore' });
  return fs.readFileSync(path.join(folder, 'tls.crt')).toString('base64');
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
