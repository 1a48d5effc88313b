/**
 * Kueue's own manager, as a process beside the embedded control plane.
 *
 * Its release reads the certificate of its metrics from a fixed place under /etc: it runs in a mount namespace of its own, where that place is made.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeCertificate, managerConfiguration, registerWebhooks, untilSaid, type LocalWebhook } from './manager';
import { findGoProgram, type Found, type GoProgram } from './go-program';
import type { TestApi } from '../test-api';
import { Child } from '../../../../src/local/control-plane/child-process';
import { freePorts } from '../../../../src/local/control-plane/ports';
import type { KueueConfiguration } from '../../../../src/manifests/platform/kueue-configuration';

/** Kueue, of the release that the operator's protocol is written against. */
export const KUEUE: GoProgram = {
  title: 'Kueue', name: 'kueue', module: 'sigs.k8s.io/kueue', release: 'v0.19.2', main: './cmd/kueue', variable: 'TRAINYARD_KUEUE',
};

/** The manager's program, or why it cannot run. */
export function findKueueManager(): Found {
  const missing = mountNamespaceProblem();
  return missing === undefined ? findGoProgram(KUEUE) : { missing };
}

function mountNamespaceProblem(): string | undefined {
  try {
    execFileSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'Kueue\'s manager needs a mount namespace of its own, and `unshare -rm` does not work here';
  }
}

/**
 * Starts the manager.
 * @param folder for its configuration, certificate and log
 * @param configuration its own, without what the machine decides: `integrations` and whatever else a test is about
 * @param asked has its API server ask the manager's webhooks of Kueue's own kinds and of pods @default - they are served, and registered nowhere
 */
export async function startKueueManager(
  program: string, folder: string, kubeconfig: string, configuration: KueueConfiguration, asked?: TestApi,
): Promise<Child> {
  const [webhooks] = await freePorts(1);
  const config = path.join(folder, 'kueue.yaml');
  fs.writeFileSync(config, JSON.stringify({
    ...configuration,
    ...managerConfiguration('config.kueue.x-k8s.io', 'v1beta2', { port: webhooks, certDir: folder }, { internalCertManagement: { enable: false } }),
    // Its API server would want a certificate in another fixed place.
    featureGates: { ...configuration.featureGates, VisibilityOnDemand: false },
  }));
  const caBundle = makeCertificate(folder);
  const layer = path.join(folder, 'layer');
  fs.mkdirSync(layer);
  const script = [
    'set -e',
    'mount -t tmpfs tmpfs "$LAYER"',
    'mkdir "$LAYER/up" "$LAYER/work"',
    'mount -t overlay overlay -o "lowerdir=/etc,upperdir=$LAYER/up,workdir=$LAYER/work" /etc',
    'mkdir -p /etc/kueue/metrics/certs',
    'cp "$CERTS/tls.crt" "$CERTS/tls.key" /etc/kueue/metrics/certs/',
    'exec "$PROGRAM" --config="$CONFIG" --zap-log-level=2',
  ].join('\n');
  const logFile = path.join(folder, 'kueue.log');
  const manager = new Child({
    name: 'kueue',
    command: 'unshare',
    args: ['-rm', 'sh', '-c', script],
    logFile,
    env: { ...process.env, LAYER: layer, CERTS: folder, PROGRAM: program, CONFIG: config, KUBECONFIG: kubeconfig, POD_NAMESPACE: 'kueue-system' },
  });
  // It says so when it has taken its configuration, and ends where it does not.
  await untilSaid(manager, '"Starting manager"');
  if (asked !== undefined) {
    await untilSaid(manager, '"Serving webhook server"');
    await registerWebhooks(asked, webhooksAt(`https://127.0.0.1:${webhooks}`, caBundle));
  }
  return manager;
}

/** @see https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/config/components/webhook/manifests.yaml */
function webhooksAt(url: string, caBundle: string): LocalWebhook[] {
  const kueue = { caBundle, group: 'kueue.x-k8s.io', version: 'v1beta2' };
  const own = (kind: string, mutates: boolean): LocalWebhook => ({
    ...kueue, name: `${mutates ? 'm' : 'v'}${kind}.kb.io`, url: `${url}/${mutates ? 'mutate' : 'validate'}-kueue-x-k8s-io-v1beta2-${kind}`, resource: `${kind}s`, mutates,
    ...(mutates && { operations: ['CREATE'] as const }),
  });
  const pods = { caBundle, group: '', version: 'v1', resource: 'pods' };
  return [
    ...['clusterqueue', 'resourceflavor', 'workload'].flatMap((kind) => [own(kind, true), own(kind, false)]),
    own('cohort', false),
    { ...pods, name: 'mpod.kb.io', url: `${url}/mutate--v1-pod`, mutates: true, operations: ['CREATE'] },
    { ...pods, name: 'vpod.kb.io', url: `${url}/validate--v1-pod` },
  ];
}
