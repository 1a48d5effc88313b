/** PyTorchJob of training-operator v1. */
import type { Fields } from '../fields';
import type { JobFields, JobReader, RoleDraft } from '../job';
import { wordsOf } from '../roles';
import { isEqual } from '../../../model/json-parts';
import type { Notes } from '../notes';
import { readV1Job, v1Draft, v1Hosts, type V1Job, type V1Kind } from './v1-job';
import type { Manifest } from '../../kubernetes';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../../model/labels';
import type { EnvVarSpec } from '../../../model/training-job/spec';

const PYTORCH_JOB: V1Kind = {
  kind: 'PyTorchJob', roles: { Master: 'master', Worker: 'worker' }, container: 'pytorch',
  port: { name: 'pytorchjob-port', number: 23456, isMasterPort: true }, restartPolicy: 'OnFailure',
};

/** @see JobReader */
export const PYTORCH_JOB_READER: JobReader = {
  read(object, metadata, notes, context) {
    const elastic = readElasticPolicy(object.object('spec')?.object('elasticPolicy'), metadata.name, metadata.namespace, notes);
    const port = { ...PYTORCH_JOB.port!, isSetElsewhere: elastic?.port !== undefined };
    const job = readV1Job(object, { ...PYTORCH_JOB, port }, metadata, notes, context);
    const written = job.spec.take('nprocPerNode');
    const nprocPerNode = processes(written) ?? elastic?.nprocPerNode;
    noteProcesses(job, nprocPerNode, notes);
    const fields: JobFields = {
      ...(nprocPerNode !== undefined && { nprocPerNode }),
      ...(elastic && { elastic: elastic.range }),
      ...(elastic?.port !== undefined && { port: elastic.port }),
    };
    const roles = elastic ? elasticRoles(job.roles, elastic.env, notes) : job.roles;
    return { ...v1Draft({ ...job, roles }, 'pytorch', v1Hosts(metadata.name, PYTORCH_JOB), notes, fields), companions: elastic?.autoscalers };
  },
};

/** `nprocPerNode` as a number if possible. */
function processes(written: unknown): number | string | undefined {
  const text = typeof written === 'object' ? JSON.stringify(written) : written;
  return text === undefined ? undefined : Number.isInteger(Number(text)) ? Number(text) : String(text);
}

/** Without GPUs, `auto` means every CPU of the node for torchrun, but the requested CPUs of the replica here. */
function noteProcesses({ roles, spec }: V1Job, nprocPerNode: number | string | undefined, notes: Notes): void {
  const runsTorchrun = roles.some((role) => /\btorchrun\b|torch\.distributed\.(run|launch)/.test(wordsOf(role).join(' ')));
  const hasGpus = roles.every(({ resources }) => (resources?.gpu ?? 0) > 0);
  if (nprocPerNode === undefined && runsTorchrun && !hasGpus) {
    notes.differs(spec.at('nprocPerNode'), undefined,
      'torchrun starts a process for each CPU that a replica requests here, and for each CPU of the node there. Set nprocPerNode to be explicit.');
  }
}

interface Elastic {
  readonly range: NonNullable<JobFields['elastic']>;
  readonly port?: number;
  readonly nprocPerNode?: number | string;
  readonly env: readonly EnvVarSpec[];
  readonly autoscalers: readonly Manifest[];
}

function readElasticPolicy(policy: Fields | undefined, name: string, namespace: string | undefined, notes: Notes): Elastic | undefined {
  if (policy === undefined) {
    return undefined;
  }
  const maxReplicas = policy.count('maxReplicas');
  const minReplicas = policy.count('minReplicas');
  const maxRestarts = policy.count('maxRestarts');
  const range = {
    minReplicas: minReplicas ?? maxReplicas ?? 1,
    maxReplicas: policy.required('maxReplicas', maxReplicas ?? minReplicas, 'is required: the maximum number of replicas of an elastic job.'),
    ...(maxRestarts !== undefined && { maxRestarts }),
  };
  const backend = policy.text('rdzvBackend');
  if (backend !== undefined && backend !== 'c10d') {
    notes.differs(policy.at('rdzvBackend'), backend, 'the rendezvous is torchrun\'s own (c10d) here, on the first replica: no server is needed.');
  }
  for (const [field, why] of Object.entries({
    rdzvHost: 'the first replica is the host of the rendezvous here.',
    rdzvId: 'each attempt has its own id here: a closed rendezvous stays closed.',
    standalone: 'replicas always meet each other here. Run torchrun with --standalone if a single replica should train alone.',
  })) {
    const value = policy.take(field);
    if (value !== undefined && value !== false) {
      notes.lost(policy.at(field), value, why);
    }
  }
  const isOwnHost = backend === undefined || backend === 'c10d';
  const port = policy.count('rdzvPort');
  if (!isOwnHost && port !== undefined) {
    notes.lost(policy.at('rdzvPort'), port, 'is the port of a server that is not needed here.');
  }
  const metrics = policy.take('metrics');
  return {
    range,
    port: isOwnHost ? port : undefined,
    nprocPerNode: processes(policy.take('nProcPerNode')),
    env: readSettings(policy, notes),
    autoscalers: Array.isArray(metrics) && metrics.length > 0 ? [autoscaler(name, namespace, range, metrics, policy.at('metrics'), notes)] : [],
  };
}

/** Settings of the rendezvous, as the variable that upstream sets. */
function readSettings(policy: Fields, notes: Notes): EnvVarSpec[] {
  const settings = policy.list('rdzvConf').map((entry) => `${entry.text('key')}=${entry.text('value')}`);
  if (settings.length === 0) {
    return [];
  }
  notes.changed(policy.at('rdzvConf'), settings.join(','), 'becomes the variable PET_RDZV_CONF, which replaces the default settings of jobs here.');
  return [{ name: 'PET_RDZV_CONF', value: settings.join(',') }];
}

/** Upstream creates the autoscaler itself; here it is a separate object. */
function autoscaler(
  name: string, namespace: string | undefined, { minReplicas, maxReplicas }: Elastic['range'], metrics: readonly unknown[], path: string, notes: Notes,
): Manifest {
  notes.changed(path, metrics, `becomes a separate HorizontalPodAutoscaler ${name}.`);
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    spec: { scaleTargetRef: { apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, name }, minReplicas, maxReplicas, metrics },
  } as Manifest;
}

/** An elastic job has the short form, whose first replica is the master. Without a master, worker 0 becomes the master. */
function elasticRoles(roles: readonly RoleDraft[], env: readonly EnvVarSpec[], notes: Notes): readonly RoleDraft[] {
  const withEnv = roles.map((role) => ({ ...role, env: [...role.env.filter(({ name }) => !env.some((own) => own.name === name)), ...env] }));
  const [first] = withEnv;
  const content = ({ name: _name, replicas: _replicas, path: _path, podPath: _pod, containerPath: _container, ...rest }: RoleDraft) => rest;
  if (withEnv.length > 1) {
    const isSame = withEnv.every((role) => isEqual(content(role), content(first)));
    if (!isSame) {
      notes.lost(first.path, undefined,
        'master and workers of an elastic job cannot differ here, because its number of replicas is one number. Make them the same, or leave elastic out.');
    }
    return withEnv;
  }
  if (first.name === 'master') {
    return withEnv;
  }
  notes.changed(first.path, undefined, 'worker 0 is the master here, where the others rendezvous; all replicas are counted together.');
  return [{ ...first, name: 'master', replicas: 1 }, ...(first.replicas > 1 ? [{ ...first, replicas: first.replicas - 1 }] : [])];
}
