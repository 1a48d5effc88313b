/**
 * What `spec.code` adds to a pod: a folder that containers share, and an init container that unpacks the archive into it. The same on every engine.
 *
 * The init container runs the training image unless the job names another one: that is on the node anyway, and needs no registry of its own.
 * Credentials are a volume of the init container alone, so that the program never sees them.
 */
import { FETCH_FILE, UNPACK_FILE, fetchFiles, unpackFiles } from './code-scripts';
import { configMapsVolume } from '../config-map-parts';
import type { Container, ResourceRequirements, Volume, VolumeMount } from '../kubernetes';
import { runPython } from '../tools/run-python';
import { TOOLS_MOUNT, TOOLS_PATH } from '../tools/tools-volume';
import { RESERVED_VOLUME_PREFIX } from '../../model/labels';
import { CODE_ARCHIVE_KEY, CODE_CONTAINER, codePath, type CodeSpec } from '../../model/training-job/code';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';

/** Volume with the unpacked files. Templates may mount it in containers of their own. */
export const CODE_VOLUME = `${RESERVED_VOLUME_PREFIX}code`;

/** Where the init container sees the ConfigMaps. */
const CODE_ARCHIVE_PATH = '/etc/trainyard/code';

/** Where the init container sees the Secret. */
const CODE_CREDENTIALS_PATH = '/etc/trainyard/code-credentials';

/** Volume with the archive's ConfigMaps. */
export const CODE_ARCHIVE_VOLUME = `${RESERVED_VOLUME_PREFIX}code-archive`;

/** Volume with the Secret. */
export const CODE_CREDENTIALS_VOLUME = `${RESERVED_VOLUME_PREFIX}code-credentials`;

const NO_PYTHON = 'code: the image has no python3, which is needed to fetch the archive; set an image with python3 in spec.code.fetchImage';

/** Resources of which an init container may ask for as much as training without anybody getting less. */
const SHARED_RESOURCES = ['cpu', 'memory', 'ephemeral-storage'];

/** Volumes of a pod whose job brings code. */
export function codeVolumes({ spec: { code } }: ResolvedTrainingJob): Volume[] {
  return code === undefined ? [] : [
    { name: CODE_VOLUME, emptyDir: {} },
    ...archiveVolumes(code),
    ...(code.secretName === undefined ? [] : [{ name: CODE_CREDENTIALS_VOLUME, secret: { secretName: code.secretName } }]),
  ];
}

/** Where containers see the files. */
export function codeMounts({ spec }: ResolvedTrainingJob): VolumeMount[] {
  const mountPath = codePath(spec);
  return mountPath === undefined ? [] : [{ name: CODE_VOLUME, mountPath }];
}

/** Files of the program that the init container of a job runs; none when it brings no code. */
export function codeFiles({ spec: { code } }: Pick<ResolvedTrainingJob, 'spec'>): { readonly [file: string]: string } {
  return code === undefined ? {} : code.url === undefined ? unpackFiles() : fetchFiles();
}

/**
 * The init container that unpacks the archive; none where the job brings no code.
 * @param training the finished `training` container: files have to belong to the user that this one runs as
 */
export function codeContainers(job: ResolvedTrainingJob, training: Container): Container[] {
  const { spec: { code } } = job;
  const [folder] = codeMounts(job);
  return code === undefined ? [] : [{
    name: CODE_CONTAINER,
    image: code.fetchImage ?? training.image,
    imagePullPolicy: training.imagePullPolicy,
    command: command(code, folder.mountPath),
    resources: withoutDevices(training.resources),
    volumeMounts: [
      folder,
      TOOLS_MOUNT,
      ...archiveVolumes(code).map(({ name }) => ({ name, mountPath: CODE_ARCHIVE_PATH, readOnly: true })),
      ...(code.secretName === undefined ? [] : [{ name: CODE_CREDENTIALS_VOLUME, mountPath: CODE_CREDENTIALS_PATH, readOnly: true }]),
    ],
    terminationMessagePolicy: 'FallbackToLogsOnError',
    securityContext: training.securityContext,
  }];
}

/** The parts of a split archive are files in one folder. */
function archiveVolumes(code: CodeSpec): Volume[] {
  const { configMap, configMaps } = code;
  return [
    ...(configMap === undefined ? [] : [{ name: CODE_ARCHIVE_VOLUME, configMap: { name: configMap } }]),
    ...(configMaps === undefined ? [] : [configMapsVolume(CODE_ARCHIVE_VOLUME, configMaps)]),
  ];
}

function command({ digest, url, secretName }: CodeSpec, folder: string): string[] {
  return url === undefined
    ? ['/bin/sh', `${TOOLS_PATH}/${UNPACK_FILE}`, `${CODE_ARCHIVE_PATH}/${CODE_ARCHIVE_KEY}`, digest, folder]
    : runPython(CODE_CONTAINER, NO_PYTHON, '-I', '-S', `${TOOLS_PATH}/${FETCH_FILE}`, url, digest, folder, ...(secretName === undefined ? [] : [CODE_CREDENTIALS_PATH]));
}

/**
 * As much as training gets: a pod's requests are the larger of the two, not their sum, and a container that asks for nothing would cost a pod its
 * guaranteed quality of service. Devices are left to training.
 */
function withoutDevices({ requests, limits }: ResourceRequirements = {}): ResourceRequirements | undefined {
  const shared = (list: ResourceRequirements['limits']) => {
    const kept = Object.entries(list ?? {}).filter(([name]) => SHARED_RESOURCES.includes(name));
    return kept.length > 0 ? Object.fromEntries(kept) : undefined;
  };
  const kept = { requests: shared(requests), limits: shared(limits) };
  return kept.requests === undefined && kept.limits === undefined ? undefined : kept;
}
