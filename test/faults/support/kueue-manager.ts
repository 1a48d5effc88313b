/**
 * Kueue's own manager, as a process beside the embedded control plane, without webhooks. It is built from the Go module proxy once (minutes) and
 * kept in the cache folder.
 *
 * Its release reads the certificate of its metrics from a fixed place under /etc: it runs in a mount namespace of its own, where that place is made.
 */
import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../../src/local/cache-folder';
import { Child } from '../../../src/local/control-plane/child-process';
import { freePorts } from '../../../src/local/control-plane/ports';

const run = promisify(execFile);

const MODULE = 'sigs.k8s.io/kueue';

/** Release that the operator's protocol is written against. */
export const KUEUE_RELEASE = 'v0.19.2';

/** Set to `build` to let the tests build Kueue, or to the path of a manager that is built already. */
const VARIABLE = 'TRAINYARD_KUEUE';

/** The manager's program, or why there is none. */
export async function findKueueManager(env: NodeJS.ProcessEnv = process.env): Promise<{ readonly program?: string; readonly missing?: string }> {
  const wish = env[VARIABLE];
  if (wish !== undefined && wish !== 'build') {
    return fs.existsSync(wish) ? { program: wish } : { missing: `${VARIABLE} is "${wish}", which does not exist` };
  }
  const kept = path.join(cacheFolder(env), 'kueue', `kueue-${KUEUE_RELEASE}`);
  const sandbox = mountNamespaceProblem();
  if (sandbox !== undefined) {
    return { missing: sandbox };
  }
  if (fs.existsSync(kept)) {
    return { program: kept };
  }
  if (wish !== 'build') {
    return { missing: `Kueue ${KUEUE_RELEASE} is not built; ${VARIABLE}=build builds it, which takes minutes` };
  }
  try {
    const { stdout } = await run('go', ['mod', 'download', '-json', `${MODULE}@${KUEUE_RELEASE}`], { env });
    fs.mkdirSync(path.dirname(kept), { recursive: true });
    // Built where it lies, so that its own replacements of modules count.
    await run('go', ['build', '-mod=readonly', '-buildvcs=false', '-o', `${kept}.new`, './cmd/kueue'], {
      cwd: (JSON.parse(stdout) as { Dir: string }).Dir, env: { ...env, CGO_ENABLED: '0' }, maxBuffer: 1 << 24,
    });
    fs.renameSync(`${kept}.new`, kept);
    return { program: kept };
  } catch (error) {
    return { missing: `Kueue ${KUEUE_RELEASE} cannot be built: ${(error as Error).message.slice(0, 300)}` };
  }
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
export async function startKueueManager(program: string, folder: string, kubeconfig: string, configuration: object): Promise<Child> {
  const [webhooks] = await freePorts(1);
  const config = path.join(folder, 'kueue.yaml');
  fs.writeFileSync(config, JSON.stringify({
    ...configuration,
    apiVersion: 'config.kueue.x-k8s.io/v1beta2',
    kind: 'Configuration',
    health: { healthProbeBindAddress: '0' },
    metrics: { bindAddress: '0' },
    // Served, and registered nowhere.
    webhook: { host: '127.0.0.1', port: webhooks, certDir: folder },
    leaderElection: { leaderElect: false },
    internalCertManagement: { enable: false },
    // Its API server would want a certificate in another fixed place.
    featureGates: { VisibilityOnDemand: false },
  }));
  execFileSync('openssl', [
    'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=localhost',
    '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', path.join(folder, 'tls.key'), '-out', path.join(folder, 'tls.crt'),
  ], { stdio: 'ignore' });
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
  return new Child({
    name: 'kueue',
    command: 'unshare',
    args: ['-rm', 'sh', '-c', script],
    logFile: path.join(folder, 'kueue.log'),
    env: { ...process.env, LAYER: layer, CERTS: folder, PROGRAM: program, CONFIG: config, KUBECONFIG: kubeconfig, POD_NAMESPACE: 'kueue-system' },
  });
}
