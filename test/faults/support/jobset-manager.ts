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

/** A manager that is built from the Go module proxy. */
export interface BuiltManager {
  readonly title: string;
  /** Name of its program. */
  readonly name: string;
  readonly module: string;
  readonly release: string;
  /** Its main package, in the module. */
  readonly main: string;
  /** Variable that is `build`, or the path of its program. */
  readonly variable: string;
}

/** A program, or why there is none. */
export interface FoundManager {
  readonly program?: string;
  readonly missing?: string;
}

/** The manager's program. */
export async function findJobSetManager(env: NodeJS.ProcessEnv = process.env): Promise<FoundManager> {
  return findManager({ title: 'JobSet', name: 'jobset', module: MODULE, release: JOBSET_RELEASE, main: '.', variable: VARIABLE }, env);
}

/** The program of a manager: the one that the variable names, the one in the cache folder, or one that is built now. */
export async function findManager({ title, name, module, release, main, variable }: BuiltManager, env: NodeJS.ProcessEnv): Promise<FoundManager> {
  const wish = env[variable];
  if (wish !== undefined && wish !== 'build') {
    return fs.existsSync(wish) ? { program: wish } : { missing: `${variable} is "${wish}", which does not exist` };
  }
  const kept = path.join(cacheFolder(env), name, `${name}-${release}`);
  if (fs.existsSync(kept)) {
    return { program: kept };
  }
  if (wish !== 'build') {
    return { missing: `${title} ${release} is not built; ${variable}=build builds it, which takes minutes` };
  }
  try {
    const { stdout } = await run('go', ['mod', 'download', '-json', `${module}@${release}`], { env });
    fs.mkdirSync(path.dirname(kept), { recursive: true });
    await run('go', ['build', '-mod=readonly', '-buildvcs=false', '-o', `${kept}.new`, main], {
      cwd: (JSON.parse(stdout) as { Dir: string }).Dir, env: { ...env, CGO_ENABLED: '0' }, maxBuffer: 1 << 24,
    });
    fs.renameSync(`${kept}.new`, kept);
    return { program: kept };
  } catch (error) {
    return { missing: `${title} ${release} cannot be built: ${(error as Error).message.slice(0, 300)}` };
  }
}

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
