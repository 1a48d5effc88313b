/**
 * Kueue's own manager, as a process beside the embedded control plane, without webhooks.
 *
 * Its release reads the certificate of its metrics from a fixed place under /etc: it runs in a mount namespace of its own, where that place is made.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeCertificate, managerConfiguration, untilSaid } from './manager';
import { findGoProgram, type Found, type GoProgram } from './go-program';
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
 */
export async function startKueueManager(program: string, folder: string, kubeconfig: string, configuration: KueueConfiguration): Promise<Child> {
  const [webhooks] = await freePorts(1);
  const config = path.join(folder, 'kueue.yaml');
  // Webhooks are served, and registered nowhere.
  fs.writeFileSync(config, JSON.stringify({
    ...configuration,
    ...managerConfiguration('config.kueue.x-k8s.io', 'v1beta2', { port: webhooks, certDir: folder }, { internalCertManagement: { enable: false } }),
    // Its API server would want a certificate in another fixed place.
    featureGates: { ...configuration.featureGates, VisibilityOnDemand: false },
  }));
  makeCertificate(folder);
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
  return manager;
}
