/**
 * `plugins` of a Volcano Job: their additions to pods. A framework's plugin maps tasks to roles.
 * @see https://github.com/volcano-sh/volcano/tree/v1.15.1/pkg/controllers/job/plugins
 */
import { type Fields, MigrationError } from '../fields';
import type { RoleDraft } from '../job';
import type { Notes } from '../notes';
import { withPodSpec } from '../roles';
import type { Container, PodSpec } from '../../kubernetes';
import { TRAINING_CONTAINER } from '../../../model/names';
import type { FrameworkName } from '../../../model/training-job/spec';

/** The result of reading plugins. */
export interface VolcanoPlugins {
  /** Their path. */
  readonly path: string;
  readonly hasSsh: boolean;
  /** Framework of the framework's plugin, if any. */
  readonly framework?: FrameworkName;
  /** Rendezvous port of the plugin's arguments. */
  readonly port?: number;
  /** Role of a task by its name in the plugin's arguments; undefined if it has none. */
  readonly roleOf?: (task: RoleDraft) => string | undefined;
  /** Adds the index variables of the plugin `env` to a role. */
  readonly withIndex: (role: RoleDraft, indexVariable: string, notes: Notes) => RoleDraft;
}

/** A plugin of a framework: its flags for names of tasks, their defaults, and their roles here. */
interface FrameworkPlugin {
  readonly framework: FrameworkName;
  readonly flags: readonly { readonly flag: string; readonly task: string; readonly role: string }[];
}

const FRAMEWORK_PLUGINS: { readonly [plugin: string]: FrameworkPlugin } = {
  pytorch: {
    framework: 'pytorch', flags: [{ flag: 'master', task: 'master', role: 'master' }, { flag: 'worker', task: 'worker', role: 'worker' }],
  },
  tensorflow: {
    framework: 'tensorflow',
    flags: ['ps', 'worker', 'chief', 'evaluator'].map((role) => ({ flag: role, task: role, role })),
  },
  mpi: {
    framework: 'mpi', flags: [{ flag: 'master', task: 'master', role: 'launcher' }, { flag: 'worker', task: 'worker', role: 'worker' }],
  },
};

/** Variables of the plugin `env` with the index of a pod in its task. */
const INDEX_VARIABLES = ['VC_TASK_INDEX', 'VK_TASK_INDEX'];

export function readVolcanoPlugins(spec: Fields, notes: Notes): VolcanoPlugins {
  const plugins = spec.object('plugins');
  const path = spec.at('plugins');
  const names = Object.keys(plugins?.value ?? {});
  const found = names.filter((name) => Object.hasOwn(FRAMEWORK_PLUGINS, name));
  const args = new Map(names.map((name) => [name, plugins!.texts(name) ?? []]));
  for (const [name, list] of args) {
    noteOther(name, list, path, notes);
  }
  if (found.length > 1) {
    throw new MigrationError(path, found, 'are plugins for several frameworks. Keep the one that the program uses.');
  }
  const plugin = found.length === 1 ? FRAMEWORK_PLUGINS[found[0]] : undefined;
  const flags = plugin?.flags.map(({ flag, task, role }) => [valueOf(args.get(found[0])!, flag) ?? task, role] as const);
  if (plugin !== undefined) {
    notes.changed(`${path}.${found[0]}`, args.get(found[0]), `the framework is ${plugin.framework}; its contract sets the variables of each replica.`);
  }
  const hasIndex = args.has('env');
  const port = plugin?.framework === 'pytorch' ? Number(valueOf(args.get('pytorch')!, 'port')) : NaN;
  return {
    path,
    hasSsh: args.has('ssh') || plugin?.framework === 'mpi',
    framework: plugin?.framework,
    ...(port > 0 && { port }),
    roleOf: flags && ((task) => {
      const role = flags.find(([name]) => name === task.name)?.[1];
      if (role === undefined) {
        throw new MigrationError(task.path, task.name,
          `is not one of the tasks of the plugin ${found[0]}: ${flags.map(([name]) => name).join(', ')}. Name it in the plugin's arguments.`);
      }
      return role;
    }),
    withIndex: (role, variable, reported) => (hasIndex ? withTaskIndex(role, variable, reported) : role),
  };
}

function noteOther(name: string, args: readonly string[], path: string, notes: Notes): void {
  switch (name) {
    case 'svc':
      notes.changed(`${path}.svc`, args, 'is left out: the job has a service of its own. Files in /etc/volcano and VC_TASK_HOSTS variables with host names do not exist here.');
      break;
    case 'ssh':
      notes.changed(`${path}.ssh`, args, 'is left out: MPI launchers and workers have their own keys.');
      break;
    case 'env':
      notes.changed(`${path}.env`, args, `is left out: ${INDEX_VARIABLES.join(' and ')} are set from the equivalent variable.`);
      break;
    default:
      if (!Object.hasOwn(FRAMEWORK_PLUGINS, name)) {
        notes.lost(`${path}.${name}`, args, 'has no equivalent. Add what it configured to the pod template.');
      }
  }
}

function withTaskIndex(role: RoleDraft, variable: string, notes: Notes): RoleDraft {
  const missing = role.isOurs ? [] : INDEX_VARIABLES.filter((name) => !role.env.some((entry) => entry.name === name));
  if (missing.length > 0) {
    notes.changed(role.containerPath, undefined, `gets the variables ${missing.join(' and ')}, which only Volcano sets, from $(${variable}).`);
  }
  return { ...role, env: [...missing.map((name) => ({ name, value: `$(${variable})` })), ...role.env] };
}

/** `--master=x` or `--master x`. */
function valueOf(args: readonly string[], flag: string): string | undefined {
  const index = args.findIndex((arg) => arg === `--${flag}` || arg.startsWith(`--${flag}=`));
  return index === -1 ? undefined : args[index].includes('=') ? args[index].slice(args[index].indexOf('=') + 1) : args[index + 1];
}

/**
 * Adds the job's `volumes` to the templates of its roles: claims that all of its pods mount.
 */
export function withVolcanoVolumes(spec: Fields, roles: readonly RoleDraft[], notes: Notes): RoleDraft[] {
  const claims = spec.list('volumes').flatMap((volume) => {
    const mountPath = volume.requiredText('mountPath', 'where the volume is mounted');
    const claimName = volume.text('volumeClaimName');
    const claim = volume.take('volumeClaim');
    if (claim !== undefined) {
      notes.lost(volume.at('volumeClaim'), claim, claimName === undefined
        ? `has no equivalent: claims are not created with the job. Create a PersistentVolumeClaim, and mount it at ${mountPath} by name.`
        : 'has no equivalent: claims are not created with the job. Create the PersistentVolumeClaim separately.');
    }
    return claimName === undefined ? [] : [{ mountPath, claimName }];
  });
  const volumes = claims.map(({ claimName }) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  const volumeMounts = claims.map(({ claimName, mountPath }) => ({ name: claimName, mountPath }));
  return claims.length === 0 ? [...roles] : roles.map((role) => {
    const { containers = [], ...pod } = (role.template.spec ?? {}) as Partial<PodSpec>;
    const own: Container = containers.find(({ name }) => name === TRAINING_CONTAINER) ?? { name: TRAINING_CONTAINER };
    const others = containers.filter(({ name }) => name !== TRAINING_CONTAINER);
    return withPodSpec(role, {
      ...pod,
      containers: [{ ...own, volumeMounts: [...own.volumeMounts ?? [], ...volumeMounts] }, ...others],
      volumes: [...pod.volumes ?? [], ...volumes],
    });
  });
}
