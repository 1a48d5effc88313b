/** MPIJob, of training-operator v1 (`kubeflow.org/v1`, `kubectl exec`) and of the MPI operator (`kubeflow.org/v2beta1`, ssh). */
import type { Fields } from '../fields';
import type { JobFields, JobReader, OldHosts, RoleDraft } from '../job';
import type { Notes } from '../notes';
import { wordsOf } from '../roles';
import { readV1Job, v1Draft, type V1Kind } from './v1-job';
import { QUEUE_NAME_LABEL } from '../../../model/kueue-names';
import { CLEAN_POD_POLICIES } from '../../../model/training-job/run-policy';
import type { FrameworkName } from '../../../model/training-job/spec';
import { quotedPattern } from '../../../model/text/expressions';

const V1: V1Kind = {
  kind: 'MPIJob', roles: { Launcher: 'launcher', Worker: 'worker' }, container: 'mpi', restartPolicy: 'Never',
};

/** The launcher is a Job. */
const V2: V1Kind = { ...V1, container: undefined, restartPolicies: { launcher: 'OnFailure' }, countsAsJob: true };

/** Commands that only keep a worker running for its launcher: an ssh server, or sleep. */
const IDLE_WORKER = /^(mkdir -p (\/var)?\/run\/sshd\s*(;|&&)\s*)?(\S*\/)?(sshd|sleep)\b|^tail -f \/dev\/null/;

/** @see JobReader */
export const MPI_JOB_READER: JobReader = {
  read(object, metadata, notes, context) {
    const isV2 = object.peek('apiVersion') === 'kubeflow.org/v2beta1';
    const spec = object.requiredObject('spec');
    const mainContainer = isV2 ? undefined : spec.text('mainContainer');
    const definition: V1Kind = isV2 ? V2 : { ...V1, container: mainContainer ?? V1.container };
    const job = readV1Job(object, definition, metadata, notes, context, isV2 ? undefined : spec.oneOf('cleanPodPolicy', CLEAN_POD_POLICIES));
    const slots = spec.count('slotsPerWorker') ?? 1;
    const roles = job.roles.map((role) => (role.name === 'worker' ? withSshServer(role, notes) : role));
    const framework = frameworkOf(roles, notes);
    if (isV2) {
      noteV2(spec, notes);
    } else {
      notes.differs(spec.at('mpiReplicaSpecs'), undefined,
        'the launcher reaches workers with ssh, not kubectl exec: the image needs an ssh client and server (sshd). It needs no permissions in the cluster.');
      if (metadata.scheduling.queueName !== undefined) {
        notes.differs(`metadata.labels['${QUEUE_NAME_LABEL}']`, metadata.scheduling.queueName,
          'queues the job here. Kueue ignores the label on an MPIJob of kubeflow.org/v1: the job started immediately and did not count against a quota.');
      }
    }
    noteDiscovery(roles, notes);
    const gpus = roles.find(({ name }) => name === 'worker')?.resources?.gpu ?? 0;
    // By default, slots here are the GPUs, or one.
    const fields: JobFields = slots === (gpus || 1) ? {} : { nprocPerNode: slots };
    if (slots === 1 && gpus > 1) {
      notes.changed(spec.at('slotsPerWorker'), spec.peek('slotsPerWorker'), `defaults to 1 there, and to the number of GPUs (${gpus}) here; set explicitly as nprocPerNode.`);
    }
    return v1Draft({ ...job, roles }, framework, hostsOf(metadata.name, isV2), notes, fields);
  },
};

/** Leaves out a worker's ssh server, because the operator configures one. */
export function withSshServer(role: RoleDraft, notes: Notes): RoleDraft {
  const entry = wordsOf(role);
  if (entry.length === 0) {
    return role;
  }
  // The program itself, or the script of a shell.
  const program = /^(\S*\/)?(ba|da|z)?sh$/.test(entry[0]) ? entry[entry.length - 1].trim() : entry.join(' ');
  if (!IDLE_WORKER.test(program)) {
    notes.differs(`${role.containerPath}.command`, entry,
      'is kept. Workers run an ssh server on port 2222 here by default; leave the command out if this one starts another.');
    return role;
  }
  notes.changed(`${role.containerPath}.command`, entry, 'is left out: workers run the ssh server that the operator configures, on port 2222, without root.');
  return { ...role, command: undefined, args: undefined };
}

/** The framework by the launcher's command: Horovod and DeepSpeed have their own launchers. */
export function frameworkOf(roles: readonly RoleDraft[], notes: Notes): FrameworkName {
  const launcher = roles.find(({ name }) => name === 'launcher');
  const text = wordsOf(launcher ?? {}).join(' ');
  const framework: FrameworkName = /\bhorovodrun\b/.test(text) ? 'horovod' : /(^|[\s/])deepspeed\s/.test(text) ? 'deepspeed' : 'mpi';
  if (framework !== 'mpi') {
    notes.changed(`${launcher!.containerPath}.command`, undefined, `the framework is ${framework}, because of the launcher's command.`);
  }
  return framework;
}

/** Reports the path of MPI's keys. */
export function noteSshMount(holder: Fields | undefined, notes: Notes): void {
  const mount = holder?.text('sshAuthMountPath');
  if (mount !== undefined) {
    notes.changed(holder!.at('sshAuthMountPath'), mount, 'keys are in /etc/mpi-ssh here, where ssh finds them for every user.');
  }
}

function noteV2(spec: Fields, notes: Notes): void {
  noteSshMount(spec, notes);
  const implementation = spec.text('mpiImplementation');
  if (implementation !== undefined && implementation !== 'OpenMPI') {
    notes.lost(spec.at('mpiImplementation'), implementation,
      'the launcher gets the variables and the hostfile of Open MPI. Set its own: HOST:SLOTS lines, and I_MPI_HYDRA_HOST_FILE or HYDRA_HOST_FILE.');
  }
  if (spec.flag('runLauncherAsWorker')) {
    notes.lost(spec.at('runLauncherAsWorker'), true, 'the launcher only launches here. Add a worker in its place.');
  }
  const creation = spec.text('launcherCreationPolicy');
  if (creation !== undefined && creation !== 'AtStartup') {
    notes.differs(spec.at('launcherCreationPolicy'), creation, 'the launcher starts with the workers here, and its ssh retries until they answer.');
  }
}

/** Only elastic jobs have the script that prints the workers. */
function noteDiscovery(roles: readonly RoleDraft[], notes: Notes): void {
  const launcher = roles.find(({ name }) => name === 'launcher');
  const texts = wordsOf(launcher ?? {});
  if (texts.some((text) => text.includes('discover_hosts.sh'))) {
    notes.lost(`${launcher!.containerPath}.command`, texts.join(' '),
      'calls discover_hosts.sh, which only elastic jobs have here. Set elastic (with Horovod), and write $(HOROVOD_HOST_DISCOVERY_SCRIPT).');
  }
}

function hostsOf(name: string, isV2: boolean): OldHosts[] {
  const escaped = quotedPattern(name);
  // The MPI operator's workers have a service with the job's name.
  return [
    { role: 'worker', pattern: `${escaped}-worker-([0-9]+)${isV2 ? `(?:\\.${escaped}(?:-worker)?)?` : ''}` },
    { role: 'launcher', pattern: `${escaped}-launcher` },
  ];
}
