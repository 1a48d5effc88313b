/** `spec.code` of a job that Trainyard rendered: its init container, volumes and mounts become the field again. */
import type { RoleDraft } from './job';
import { CODE_ARCHIVE_VOLUME, CODE_CREDENTIALS_VOLUME, CODE_VOLUME } from '../code/code-pod';
import type { Container, PodSpec, Volume } from '../kubernetes';
import { TOOLS_VOLUME } from '../tools/tools-volume';
import { CODE_CONTAINER, DEFAULT_CODE_PATH, type CodeSpec } from '../../model/training-job/code';
import { TRAINING_CONTAINER } from '../../model/names';

/** A role without what `spec.code` added to it. */
export interface WithoutCode {
  readonly role: RoleDraft;
  readonly code?: CodeSpec;
}

/** The volume of one ConfigMap or of several. */
interface ArchiveVolume {
  readonly configMap?: { readonly name: string };
  readonly projected?: { readonly sources: readonly { readonly configMap: { readonly name: string } }[] };
}

/** Takes the code out of a role that Trainyard wrote. */
export function takeOwnCode(role: RoleDraft): WithoutCode {
  const { containers = [], initContainers = [], volumes = [], ...pod } = (role.template.spec ?? {}) as Partial<PodSpec>;
  const init = initContainers.find(({ name }) => name === CODE_CONTAINER);
  const code = init && codeOf(init, volumes, role.image);
  if (code === undefined) {
    return { role };
  }
  const inits = initContainers.filter((container) => container !== init);
  const left = containers.map((container) => (container.name === TRAINING_CONTAINER ? withoutMount(container, CODE_VOLUME) : container));
  const isUsed = (volume: string) => [...left, ...inits].some(({ volumeMounts }) => volumeMounts?.some(({ name }) => name === volume));
  const ours: readonly string[] = [CODE_VOLUME, CODE_ARCHIVE_VOLUME, CODE_CREDENTIALS_VOLUME, TOOLS_VOLUME].filter((name) => !isUsed(name));
  const volumesLeft = volumes.filter(({ name }) => !ours.includes(name));
  const { workingDir } = role;
  return {
    role: {
      ...role,
      workingDir: workingDir === (code.mountPath ?? DEFAULT_CODE_PATH) ? undefined : workingDir,
      template: {
        ...role.template,
        spec: {
          ...pod,
          ...(left.length > 0 && { containers: left }),
          ...(inits.length > 0 && { initContainers: inits }),
          ...(volumesLeft.length > 0 && { volumes: volumesLeft }),
        },
      },
    },
    code,
  };
}

/** What the init container says: where the archive is, its digest, and where it goes. */
function codeOf({ command = [], image }: Container, volumes: readonly Volume[], trainingImage: string): CodeSpec | undefined {
  const at = command.findIndex((word) => /^sha256:[a-f0-9]{64}$/.test(word));
  if (at < 0) {
    return undefined;
  }
  const archive = volumes.find(({ name }) => name === CODE_ARCHIVE_VOLUME) as ArchiveVolume | undefined;
  const secret = volumes.find(({ name }) => name === CODE_CREDENTIALS_VOLUME)?.secret as { readonly secretName: string } | undefined;
  const folder = command[at + 1];
  return {
    digest: command[at],
    ...placeOf(archive, command[at - 1]),
    ...(folder !== DEFAULT_CODE_PATH && { mountPath: folder }),
    ...(secret !== undefined && { secretName: secret.secretName }),
    ...(image !== trainingImage && image !== undefined && { fetchImage: image }),
  };
}

function placeOf(archive: ArchiveVolume | undefined, url: string): Pick<CodeSpec, 'configMap' | 'configMaps' | 'url'> {
  if (archive === undefined) {
    return { url };
  }
  const { configMap, projected } = archive;
  return configMap === undefined ? { configMaps: projected?.sources.map((source) => source.configMap.name) } : { configMap: configMap.name };
}

function withoutMount({ volumeMounts = [], ...container }: Container, volume: string): Container {
  const left = volumeMounts.filter(({ name }) => name !== volume);
  return { ...container, ...(left.length > 0 && { volumeMounts: left }) };
}
