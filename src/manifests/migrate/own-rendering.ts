/**
 * Jobs that Trainyard itself rendered for an engine: its additions to templates are removed, because rendering will add them again, and parts of a
 * template that come from a field become that field again. So do the init container, volumes and mounts of `spec.code`.
 */
import type { RoleDraft } from './job';
import { isEqual } from '../../model/json-parts';
import { CODE_ARCHIVE_VOLUME, CODE_CREDENTIALS_VOLUME, CODE_VOLUME } from '../code/code-pod';
import type { Container, PodSpec, Volume } from '../kubernetes';
import { nonEmptyObject } from '../plain-object';
import { noneIfEmpty } from '../pod/pod-parts';
import { CHECKPOINT_VOLUME } from '../pod/replica-volumes';
import { deviceTolerations } from '../pod/resources';
import { INIT_NAME } from '../tools/container-init';
import { TOOLS_VOLUME } from '../tools/tools-volume';
import { MESH_INJECTION_LABEL } from '../../model/mesh';
import { TRAINING_CONTAINER } from '../../model/names';
import { wholeCpus } from '../../model/quantities';
import { CODE_CONTAINER, DEFAULT_CODE_PATH, type CodeSpec } from '../../model/training-job/code';
import type { CheckpointSpec } from '../../model/training-job/fields/features';
import type { EnvVarSpec, PodTemplateSpec } from '../../model/training-job/spec';
import { defined, optional } from '../../model/lists';

/** Variables that only pass an index from a label to other variables. */
const HELPER_VARIABLES = ['JOB_COMPLETION_INDEX', 'JOBSET_JOB_INDEX', 'JOBSET_JOB_GROUP_INDEX', 'VC_TASK_INDEX'];

/** Ports that the job or its framework opens. */
const OWN_PORTS = ['master', 'tfjob-port', 'mxjob-port', 'ssh'];

/** Name of the shell that sets variables and then executes the command. */
const PRELUDE = 'trainyard';

/** Number of words before the command of a shell: the shell, its option, the script and its name. */
const SHELL_WORDS = 4;

/** A restored role. */
export interface Unrendered {
  readonly role: RoleDraft;
  readonly checkpoint?: CheckpointSpec;
  readonly code?: CodeSpec;
  readonly init?: boolean;
}

/** Removes from a role what rendering added. A role that Trainyard did not render is unchanged. */
export function withoutRendering(rendered: RoleDraft): Unrendered {
  if (!rendered.isOurs) {
    return { role: rendered };
  }
  const { role, code } = takeOwnCode(rendered);
  const { template, checkpoint } = withoutDefaults(role);
  const plain = withoutShell(role.command, PRELUDE);
  const command = withoutShell(plain, INIT_NAME);
  return {
    role: { ...role, template, env: role.env.filter((entry) => !isHelper(entry, role)), ...(command !== role.command && { command }) },
    checkpoint,
    code,
    ...(command !== plain && { init: true }),
  };
}

/** A command without one of our shells before it; unchanged if there is none. */
function withoutShell(command: readonly string[] | undefined, shellName: string): readonly string[] | undefined {
  const [shell, flag, , name] = command ?? [];
  return shell === '/bin/sh' && flag === '-c' && name === shellName ? command!.slice(SHELL_WORDS) : command;
}

/** Whether a variable only serves others, or has its default value. */
function isHelper({ name, value }: EnvVarSpec, { resources = {} }: RoleDraft): boolean {
  return HELPER_VARIABLES.includes(name) || (name === 'PET_NPROC_PER_NODE' && value === (resources.gpu ? 'auto' : String(wholeCpus(resources))));
}

function withoutDefaults(role: RoleDraft): { readonly template: PodTemplateSpec; readonly checkpoint?: CheckpointSpec } {
  const { containers = [], volumes = [], tolerations = [], securityContext, automountServiceAccountToken, terminationGracePeriodSeconds, ...rest } =
    (role.template.spec ?? {}) as Partial<PodSpec>;
  const training = containers.find(({ name }) => name === TRAINING_CONTAINER);
  const claim = volumes.find(({ name }) => name === CHECKPOINT_VOLUME);
  const mount = training?.volumeMounts?.find(({ name }) => name === CHECKPOINT_VOLUME);
  const ownTolerations = deviceTolerations(role.resources ?? {});
  const { seccompProfile, ...security } = securityContext ?? {};
  const isDefaultProfile = isEqual(seccompProfile, { type: 'RuntimeDefault' });
  const left = {
    ...rest,
    ...noneIfEmpty('containers', containers.flatMap((container) => (container === training ? withoutTrainingDefaults(container) : [container]))),
    ...noneIfEmpty('volumes', volumes.filter((volume) => volume !== claim)),
    ...noneIfEmpty('tolerations', tolerations.filter((toleration) => !ownTolerations.some((own) => isEqual(own, toleration)))),
    ...(automountServiceAccountToken === undefined || automountServiceAccountToken === false ? {} : { automountServiceAccountToken }),
    ...(securityContext !== undefined && (!isDefaultProfile || Object.keys(security).length > 0)
      && { securityContext: isDefaultProfile ? security : securityContext }),
  };
  const metadata = withoutMeshOff(role.template.metadata);
  return {
    template: defined({ metadata, spec: nonEmptyObject(left) }),
    checkpoint: checkpointOf(claim, mount?.subPath, terminationGracePeriodSeconds),
  };
}

/** Without the sidecar label that jobs have by default. */
function withoutMeshOff(metadata: PodTemplateSpec['metadata']): PodTemplateSpec['metadata'] {
  const { labels = {}, ...rest } = metadata ?? {};
  if (labels[MESH_INJECTION_LABEL] !== 'false') {
    return metadata;
  }
  const others = Object.fromEntries(Object.entries(labels).filter(([name]) => name !== MESH_INJECTION_LABEL));
  return nonEmptyObject({ ...rest, ...optional('labels', nonEmptyObject(others)) });
}

function withoutTrainingDefaults({ terminationMessagePolicy, ports = [], volumeMounts = [], ...container }: Container): Container[] {
  const left = {
    ...container,
    ...noneIfEmpty('ports', ports.filter(({ name }) => name === undefined || !OWN_PORTS.includes(name))),
    ...noneIfEmpty('volumeMounts', volumeMounts.filter(({ name }) => name !== CHECKPOINT_VOLUME)),
    ...(terminationMessagePolicy !== 'FallbackToLogsOnError' && terminationMessagePolicy !== undefined && { terminationMessagePolicy }),
  };
  return Object.keys(left).length > 1 ? [left] : [];
}

function checkpointOf(claim: Volume | undefined, subPath: string | undefined, gracePeriodSeconds: number | undefined): CheckpointSpec | undefined {
  const { claimName } = (claim?.persistentVolumeClaim ?? {}) as { readonly claimName?: string };
  return nonEmptyObject(defined({ gracePeriodSeconds, claimName, subPath: claimName === undefined ? undefined : subPath }));
}

/** The volume of one ConfigMap or of several. */
interface ArchiveVolume {
  readonly configMap?: { readonly name: string };
  readonly projected?: { readonly sources: readonly { readonly configMap: { readonly name: string } }[] };
}

/** Restores `spec.code` of a role that Trainyard rendered. */
function takeOwnCode(role: RoleDraft): Pick<Unrendered, 'role' | 'code'> {
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
        spec: { ...pod, ...noneIfEmpty('containers', left), ...noneIfEmpty('initContainers', inits), ...noneIfEmpty('volumes', volumesLeft) },
      },
    },
    code,
  };
}

/** `spec.code` from the init container: the place of the archive, its digest, and the target folder. */
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
  return { ...container, ...noneIfEmpty('volumeMounts', volumeMounts.filter(({ name }) => name !== volume)) };
}
