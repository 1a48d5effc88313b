/**
 * What `spec.code` adds to a pod: a folder that containers share, and an init container that unpacks the archive into it. The same on every engine.
 *
 * The init container runs the training image unless the job names another one: that is on the node anyway, and needs no registry of its own.
 * Credentials are a volume of the init container alone, so that the program never sees them.
 *
 * The programs of the init container, with the names that their files have.
 *
 * Where the archive comes in ConfigMaps, it is POSIX shell, for whatever image there is: what it needs is in busybox and in nearly every other one
 * (`cat`, `tar`, `gzip`, `sha256sum`), and where one of the last three is missing Python does its part.
 *
 * Where the archive has to be fetched first, it is Python with nothing but its standard library, which the images of nearly all frameworks have:
 * signatures of S3 and the tokens of registries are more than a shell can do with the tools of any image. Who it is: first what the job's Secret
 * says (files named like the variables of the cloud's own tools, or `.dockerconfigjson`), then the variables that a cloud's webhook gives to pods,
 * then the metadata server of Google's clouds, else nobody, which is enough for public archives.
 */
import { configMapsVolume } from '../config-map-parts';
import type { Container, ResourceRequirements, Volume, VolumeMount } from '../kubernetes';
import { runPython } from '../tools/run-python';
import { TOOLS_MOUNT, TOOLS_PATH } from '../tools/tools-volume';
import { RESERVED_VOLUME_PREFIX } from '../../model/labels';
import { CODE_ARCHIVE_KEY, CODE_CONTAINER, codePath, type CodeSpec } from '../../model/training-job/code';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import { joinedPython } from '../../programs/joined-python';
import { programText } from '../../programs/program-text';

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

/** Run as `sh code.sh ARCHIVE DIGEST FOLDER`. A split archive is in files that are named ARCHIVE.0, ARCHIVE.1 and so on. */
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
