/**
 * JobSet's own manager, as a process beside the embedded control plane, with its webhooks. It is built from the Go module proxy once (minutes) and
 * kept in the cache folder.
 */
import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { TestApi } from '../../cluster/support/test-api';
import { cacheFolder } from '../../../src/local/cache-folder';
import { Child } from '../../../src/local/control-plane/child-process';
import { freePorts } from '../../../src/local/control-plane/ports';

const run = promisify(execFile);

const MODULE = 'sigs.k8s.io/jobset';

/** Release that the engine is written for. */
export const JOBSET_RELEASE = 'v0.12.0';

/** Set to `build` to let the tests build JobSet, or to the path of a manager that is built already. */
const VARIABLE = 'TRAINYARD_JOBSET';

/** The manager's program, or why there is none. */
export async function findJobSetManager(env: NodeJS.ProcessEnv = process.env): Promise<{ readonly program?: string; readonly missing?: string }> {
  const wish = env[VARIABLE];
  if (wish !== undefined && wish !== 'build') {
    return fs.existsSync(wish) ? { program: wish } : { missing: `${VARIABLE} is "${wish}", which does not exist` };
  }
  const kept = path.join(cacheFolder(env), 'jobset', `jobset-${JOBSET_RELEASE}`);
  if (fs.existsSync(kept)) {
    return { program: kept };
  }
  if (wish !== 'build') {
    return { missing: `JobSet ${JOBSET_RELEASE} is not built; ${VARIABLE}=build builds it, which takes minutes` };
  }
  try {
    const { stdout } = await run('go', ['mod', 'download', '-json', `${MODULE}@${JOBSET_RELEASE}`], { env });
    fs.mkdirSync(path.dirname(kept), { recursive: true });
    await run('go', ['build', '-mod=readonly', '-buildvcs=false', '-o', `${kept}.new`, '.'], {
      cwd: (JSON.parse(stdout) as { Dir: string }).Dir, env: { ...env, CGO_ENABLED: '0' }, maxBuffer: 1 << 24,
    });
    fs.renameSync(`${kept}.new`, kept);
    return { program: kept };
  } catch (error) {
    return { missing: `JobSet ${JOBSET_RELEASE} cannot be built: ${(error as Error).message.slice(0, 300)}` };
  }
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
  execFileSync('openssl', [
    'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=localhost',
    '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', path.join(folder, 'tls.key'), '-out', path.join(folder, 'tls.crt'),
  ], { stdio: 'ignore' });
  const manager = new Child({
    name: 'jobset', command: program, args: [`--config=${config}`], logFile: path.join(folder, 'jobset.log'), env: { ...process.env, KUBECONFIG: kubeconfig },
  });
  const caBundle = fs.readFileSync(path.join(folder, 'tls.crt')).toString('base64');
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
