/** JobSet's own manager, as a process beside the embedded control plane, with its webhooks. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { GoProgram } from './go-program';
import type { TestApi } from '../test-api';
import { Child } from '../../../../src/local/control-plane/child-process';
import { freePorts } from '../../../../src/local/control-plane/ports';

/** JobSet, of the release that the engine is written for. */
export const JOBSET: GoProgram = {
  title: 'JobSet', name: 'jobset', module: 'sigs.k8s.io/jobset', release: 'v0.12.0', main: '.', variable: 'TRAINYARD_JOBSET',
};

/** Writes `tls.key` and `tls.crt` for a server on this machine. @returns the certificate, as webhook configurations want it */
export function makeCertificate(folder: string): string {
  execFileSync('openssl', [
    'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=localhost',
    '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', path.join(folder, 'tls.key'), '-out', path.join(folder, 'tls.crt'),
  ], { stdio: 'ignore' });
  return fs.readFileSync(path.join(folder, 'tls.crt')).toString('base64');
}

/**
 * Starts the manager, and has the API server ask its webhooks about every JobSet.
 * @param folder for its configuration, certificate and log
 */
export async function startJobSetManager(program: string, folder: string, kubeconfig: string, api: TestApi): Promise<Child> {
  const [port] = await freePorts(1);
  const config = path.join(folder, 'jobset.yaml');
  fs.writeFileSync(config, JSON.stringify({
    apiVersion: 'config.jobset.x-k8s.io/v1alpha1',
    kind: 'Configuration',
    health: { healthProbeBindAddress: '0' },
    metrics: { bindAddress: '0' },
    webhook: { host: '127.0.0.1', port, certDir: folder },
    leaderElection: { leaderElect: false },
    internalCertManagement: { enable: false },
  }));
  const caBundle = makeCertificate(folder);
  const manager = new Child({
    name: 'jobset', command: program, args: [`--config=${config}`], logFile: path.join(folder, 'jobset.log'), env: { ...process.env, KUBECONFIG: kubeconfig },
  });
  for (const [kind, operations] of [['Mutating', ['CREATE']], ['Validating', ['CREATE', 'UPDATE']]] as const) {
    const verb = kind === 'Mutating' ? 'mutate' : 'validate';
    await api.send('POST', `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`, {
      metadata: { name: 'jobset' },
      webhooks: [{
        name: `${verb}.jobset.kb.io`,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { url: `https://127.0.0.1:${port}/${verb}-jobset-x-k8s-io-v1alpha2-jobset`, caBundle },
        rules: [{ apiGroups: ['jobset.x-k8s.io'], apiVersions: ['v1alpha2'], resources: ['jobsets'], operations }],
      }],
    });
  }
  return manager;
}
