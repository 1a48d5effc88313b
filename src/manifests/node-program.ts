/**
 * A program of ours on a stock Node.js image: what the pods of the operator and of the dashboard have in common.
 *
 * Its code as ConfigMaps: the bundle, compressed and split, and a few lines that join, unpack and start it. The names carry a hash of all of it, so
 * that a new bundle rolls the Deployment while pods of the old one keep what they mounted.
 */
import { createHash } from 'node:crypto';
import { binaryDataParts, configMapsVolume } from './config-map-parts';
import type { Manifest, Volume } from './kubernetes';

/** User and group of the process; any number that is not root's. */
const USER_ID = 65532;

/** Security of the pod, as the restricted Pod Security Standard wants it. */
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

/** Folder that the ConfigMaps are mounted at. */
const CODE_PATH = '/opt/trainyard';

/** Folder that the bundle is unpacked to: the one that a read-only container can write to. */
export const SCRATCH_PATH = '/tmp';

/** Name of the module that the container starts; the first ConfigMap has it. */
export const BOOTSTRAP_KEY = 'bootstrap.mjs';

/** The code as a pod has it. */
export interface MountedCode {
  readonly configMapNames: readonly string[];
  readonly hash: string;
}

/**
 * Replicas go to nodes of their own where they can. Pods of each revision of the Deployment are counted by themselves: during a rolling update, the
 * old pods would otherwise draw the new ones to one node, where both would be lost together.
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

/** What the container runs when the code is in ConfigMaps. @param flags of Node.js */
export function programCommand(flags: readonly string[]): string[] {
  return ['node', ...flags, `${CODE_PATH}/${BOOTSTRAP_KEY}`];
}

/** Volumes of the pod. @param code @default - the image holds it */
export function codeVolumes(code: MountedCode | undefined): Volume[] {
  return [
    { name: 'scratch', emptyDir: { sizeLimit: '64Mi' } },
    ...(code ? [configMapsVolume('code', code.configMapNames)] : []),
  ];
}

/** Their places in the container. */
export function codeMounts(code: MountedCode | undefined): object[] {
  return [
    { name: 'scratch', mountPath: SCRATCH_PATH },
    ...(code ? [{ name: 'code', mountPath: CODE_PATH, readOnly: true }] : []),
  ];
}

/**
 * The parts are next to the module: a volume shows the files of all its ConfigMaps at once, in one folder. The bundle is imported as a file, not from
 * memory: its own `require` needs a place to start from.
 */
const bootstrap = (program: string, parts: number) => `import { readFileSync, writeFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

const parts = Array.from({ length: ${parts} }, (_, part) => readFileSync(new URL(\`${program}.mjs.br.\${part}\`, import.meta.url)));
writeFileSync('${SCRATCH_PATH}/${program}.mjs', brotliDecompressSync(Buffer.concat(parts)));
await import('file://${SCRATCH_PATH}/${program}.mjs');
`;

/** The code in the form that it is installed in. */
export interface ProgramCode {
  /** All of them in one folder are the code. */
  readonly configMaps: readonly Manifest[];
  /** First 12 hexadecimal digits of a SHA-256 of what the ConfigMaps hold. */
  readonly hash: string;
}

/** Whose code it is. */
export interface ProgramIdentity {
  /** Name of the bundle's file, without its ends. */
  readonly program: string;
  /** Name of the objects that the program is installed with. */
  readonly name: string;
  readonly namespace: string;
  readonly labels: { readonly [label: string]: string };
  /** Label with the hash. */
  readonly hashLabel: string;
}

/** Constructs the ConfigMaps. @param bundle the program as one ES module, compressed with brotli */
export function constructProgramCode({ program, name, namespace, labels, hashLabel }: ProgramIdentity, bundle: Uint8Array): ProgramCode {
  // One key in each of them, with the number of the part at its end.
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
