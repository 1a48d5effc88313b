/**
 * One of our programs on a standard Node.js image: the common part of the pods of the operator, the notifier and the dashboard.
 *
 * The ConfigMaps with its code: the bundle, compressed and split, and a bootstrap that joins, unpacks and starts it. Their names contain a hash, so a
 * new bundle rolls the Deployment while old pods keep their ConfigMaps.
 */
import { createHash } from 'node:crypto';
import { binaryDataParts, configMapsVolume } from './config-map-parts';
import type { Manifest, Volume } from './kubernetes';

/** User and group of the process; any number except root's. */
const USER_ID = 65532;

/** Security of the pod, as the restricted Pod Security Standard requires. */
export const PROGRAM_POD_SECURITY = {
  runAsNonRoot: true,
  runAsUser: USER_ID,
  runAsGroup: USER_ID,
  fsGroup: USER_ID,
  seccompProfile: { type: 'RuntimeDefault' },
};

/** Security of its container. */
export const PROGRAM_CONTAINER_SECURITY = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

/** Mount path of the ConfigMaps. */
const CODE_PATH = '/opt/trainyard';

/** Folder for the unpacked bundle, the only writable one of the container. */
export const SCRATCH_PATH = '/tmp';

/** Name of the container's start module, in the first ConfigMap. */
export const BOOTSTRAP_KEY = 'bootstrap.mjs';

/** The ConfigMaps of a pod's code. */
export interface MountedCode {
  readonly configMapNames: readonly string[];
  readonly hash: string;
}

/**
 * Spreads replicas over nodes if possible. Pods of each revision of the Deployment are counted separately: during a rolling update, the old pods
 * would otherwise draw the new ones to one node, where both could be lost together.
 */
export function spreadOverNodes(labels: { readonly [label: string]: string }): object[] {
  return [{
    maxSkew: 1,
    topologyKey: 'kubernetes.io/hostname',
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: labels },
    matchLabelKeys: ['pod-template-hash'],
  }];
}

/** Command of the container if the code is in ConfigMaps. @param flags flags of Node.js */
export function programCommand(flags: readonly string[]): string[] {
  return ['node', ...flags, `${CODE_PATH}/${BOOTSTRAP_KEY}`];
}

/** Volumes of the pod. @param code @default - the image contains it */
export function codeVolumes(code: MountedCode | undefined): Volume[] {
  return [
    { name: 'scratch', emptyDir: { sizeLimit: '64Mi' } },
    ...(code ? [configMapsVolume('code', code.configMapNames)] : []),
  ];
}

/** Their mounts in the container. */
export function codeMounts(code: MountedCode | undefined): object[] {
  return [
    { name: 'scratch', mountPath: SCRATCH_PATH },
    ...(code ? [{ name: 'code', mountPath: CODE_PATH, readOnly: true }] : []),
  ];
}

/**
 * The bootstrap. The parts are in its folder, because a volume shows the files of all its ConfigMaps in one folder. The bundle is imported from a
 * file, because its `require` needs a path.
 */
const bootstrap = (program: string, parts: number) => `import { readFileSync, writeFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

const parts = Array.from({ length: ${parts} }, (_, part) => readFileSync(new URL(\`${program}.mjs.br.\${part}\`, import.meta.url)));
writeFileSync('${SCRATCH_PATH}/${program}.mjs', brotliDecompressSync(Buffer.concat(parts)));
await import('file://${SCRATCH_PATH}/${program}.mjs');
`;

/** Code as ConfigMaps. */
export interface ProgramCode {
  readonly configMaps: readonly Manifest[];
  /** First 12 hexadecimal digits of a SHA-256 of their content. */
  readonly hash: string;
}

/** Names of a program. */
export interface ProgramIdentity {
  /** Name of the bundle's file, without its extensions. */
  readonly program: string;
  /** Name of the program's objects. */
  readonly name: string;
  readonly namespace: string;
  readonly labels: { readonly [label: string]: string };
  /** Label with the hash. */
  readonly hashLabel: string;
}

/** Constructs the ConfigMaps. @param bundle the program as one ES module, compressed with brotli */
export function constructProgramCode({ program, name, namespace, labels, hashLabel }: ProgramIdentity, bundle: Uint8Array): ProgramCode {
  const parts = binaryDataParts(`${program}.mjs.br`, bundle);
  const start = bootstrap(program, parts.length);
  const hash = createHash('sha256').update(start).update(bundle).digest('hex').slice(0, 12);
  const configMaps = parts.map((binaryData, part) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${name}-code-${hash}-${part}`, namespace, labels: { ...labels, [hashLabel]: hash } },
    immutable: true,
    ...(part === 0 && { data: { [BOOTSTRAP_KEY]: start } }),
    binaryData,
  }));
  return { configMaps, hash };
}
