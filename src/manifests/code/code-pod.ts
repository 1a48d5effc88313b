/**
 * What `spec.code` adds to a pod on every engine: a folder that containers share, and an init container that unpacks the archive into it.
 *
 * The init container runs the training image unless the job names another one: it is on the node anyway, and needs no further registry. Only the init
 * container mounts the credentials, so the program never sees them.
 *
 * For an archive in ConfigMaps, its program is POSIX shell, for any image: it uses tools that busybox and nearly every other image have (`cat`,
 * `tar`, `gzip`, `sha256sum`), and Python if one of the last three is missing.
 *
 * For an archive that must be fetched, it is Python with only its standard library, which the images of nearly all frameworks have: signatures of S3
 * and tokens of registries are too much for shell tools. It uses the first credentials of: the job's Secret (files with the names of the variables of
 * the cloud's own tools, or `.dockerconfigjson`), the variables that a cloud's webhook adds to pods, and Google's metadata server. Without any, it
 * can fetch public archives.
 */
import { configMapsVolume } from '../config-map-parts';
import type { Container, ResourceRequirements, Volume, VolumeMount } from '../kubernetes';
import { nonEmptyObject } from '../plain-object';
import { runPython } from '../tools/run-python';
import { TOOLS_MOUNT, TOOLS_PATH } from '../tools/tools-volume';
import { RESERVED_VOLUME_PREFIX } from '../../model/labels';
import { defined } from '../../model/lists';
import { CODE_ARCHIVE_KEY, CODE_CONTAINER, codePath, type CodeSpec } from '../../model/training-job/code';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import { joinedPython } from '../../programs/joined-python';
import { programText } from '../../programs/program-text';

/** Volume with the unpacked files. Templates may mount it in other containers. */
export const CODE_VOLUME = `${RESERVED_VOLUME_PREFIX}code`;

/** Mount path of the ConfigMaps in the init container. */
const CODE_ARCHIVE_PATH = '/etc/trainyard/code';

/** Mount path of the Secret in the init container. */
const CODE_CREDENTIALS_PATH = '/etc/trainyard/code-credentials';

/** Volume with the archive's ConfigMaps. */
export const CODE_ARCHIVE_VOLUME = `${RESERVED_VOLUME_PREFIX}code-archive`;

/** Volume with the Secret. */
export const CODE_CREDENTIALS_VOLUME = `${RESERVED_VOLUME_PREFIX}code-credentials`;

const NO_PYTHON = 'code: the image has no python3, which is needed to fetch the archive; set an image with python3 in spec.code.fetchImage';

/** Resources that an init container may request like training at no extra cost. */
const SHARED_RESOURCES = ['cpu', 'memory', 'ephemeral-storage'];

/** Volumes of a pod whose job has code. */
export function codeVolumes({ spec: { code } }: ResolvedTrainingJob): Volume[] {
  return code === undefined ? [] : [
    { name: CODE_VOLUME, emptyDir: {} },
    ...archiveVolumes(code),
    ...(code.secretName === undefined ? [] : [{ name: CODE_CREDENTIALS_VOLUME, secret: { secretName: code.secretName } }]),
  ];
}

/** Mounts of the files in containers. */
export function codeMounts({ spec }: ResolvedTrainingJob): VolumeMount[] {
  const mountPath = codePath(spec);
  return mountPath === undefined ? [] : [{ name: CODE_VOLUME, mountPath }];
}

/** Files of the init container's program; none for a job without code. */
export function codeFiles({ spec: { code } }: Pick<ResolvedTrainingJob, 'spec'>): { readonly [file: string]: string } {
  return code === undefined ? {} : code.url === undefined ? unpackFiles() : fetchFiles();
}

/**
 * The init container that unpacks the archive; none for a job without code.
 * @param training the complete `training` container, whose user must own the files
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
 * The resources of training without devices. A pod requests the larger of the two, not their sum, and a container without requests would cost a pod
 * its guaranteed quality of service.
 */
function withoutDevices({ requests, limits }: ResourceRequirements = {}): ResourceRequirements | undefined {
  const shared = (list: ResourceRequirements['limits']) => (
    nonEmptyObject(Object.fromEntries(Object.entries(list ?? {}).filter(([name]) => SHARED_RESOURCES.includes(name)))));
  return nonEmptyObject(defined({ requests: shared(requests), limits: shared(limits) }));
}

/** Run as `sh code.sh ARCHIVE DIGEST FOLDER`. The parts of a split archive are named ARCHIVE.0, ARCHIVE.1 and so on. */
const UNPACK_FILE = 'code.sh';

/** Run as `python3 code.py URL DIGEST FOLDER [CREDENTIALS]`. */
export const FETCH_FILE = 'code.py';

/** Files of the program that unpacks a ConfigMap's archive. */
export function unpackFiles(): { readonly [file: string]: string } {
  return {
    [UNPACK_FILE]: programText('code/unpack.sh'),
    'unpack.py': joinedPython(programText('code/archive.py'), programText('code/unpack.py')),
  };
}

/** Files of the program that fetches an archive first. */
export function fetchFiles(): { readonly [file: string]: string } {
  return {
    [FETCH_FILE]: joinedPython(
      programText('code/archive.py'), programText('cloud/aws.py'), programText('cloud/google.py'), programText('code/transport.py'),
      programText('code/sources.py'), programText('code/fetch.py'),
    ),
  };
}
