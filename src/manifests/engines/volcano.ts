/**
 * A Volcano Job: a task for each role, placed as one gang. Host names come from Volcano's `svc` plugin, keys for MPI from its `ssh` plugin.
 *
 * Its `env` plugin is not used: it appends the index after all other variables, where none of them can refer to it. The first variable reads the same
 * number from a label of the pod.
 * @see https://volcano.sh/en/docs/v1-12-0/vcjob/
 */
import type { EngineDefinition, EngineEnvironment, EngineJob, EngineObjects } from './engine';
import { constructCompanions, engineOwnership, jobLabels } from './indexed/companions';
import { enginePodSpec, inFirstAttempt, podAddresses, templateMetadata, type EnginePods } from './indexed/engine-pods';
import type { IndexVariable } from './indexed/indexed-text';
import { constructPodSet } from './indexed/pod-set';
import { VOLCANO_CAPABILITIES, volcanoViolations, type VolcanoEngineSettings, type VolcanoPlan } from './volcano/capabilities';
import { volcanoHost, volcanoHostVariables, volcanoPodName } from './volcano/hosts';
import { maxRetry, successForm, taskPolicies } from './volcano/outcome';
import { countByRole } from '../gang/gang-renderer';
import type { Manifest, PodSpec } from '../kubernetes';
import { needsMpiFiles } from '../job/mpi-files';
import { plainObject } from '../plain-object';
import { withRequestsOfLimits } from '../pod/resources';
import { typedPodSpec } from '../pod/typed-pod';
import { MPI_SSH_PORT } from '../../model/frameworks/mpi';
import { VOLCANO_JOB } from '../../model/kinds/volcano-job';
import { identityOf } from '../../model/kinds/workload-kind';
import { ATTEMPT_VARIABLE } from '../../model/training-job/environment/environment';
import { gangMinimum } from '../../model/training-job/scheduling';
import { replicasOfRole } from '../../model/training-job/replicas/replicas';
import { resolveTrainingJob } from '../../model/training-job/replicas/resolve';

/** The index of a pod in its task, with the name that Volcano uses. */
const TASK_INDEX: IndexVariable = { name: 'VC_TASK_INDEX', plus: 0, fieldPath: 'metadata.labels[\'volcano.sh/task-index\']' };

/** Field of a pod with the number of restarts of its job. */
const RETRY_COUNT = 'metadata.annotations[\'volcano.sh/job-retry-count\']';

/**
 * The default that Volcano's webhook sets in each task of a new job. It has no effect here; `maxRetry` of the job does. Without it, a second apply
 * would remove it, and Volcano rejects any change of a task.
 * @see https://github.com/volcano-sh/volcano/blob/v1.15.1/pkg/webhooks/admission/jobs/mutate/mutate_job.go
 */
const TASK_MAX_RETRY = 3;

/** Where the `ssh` plugin mounts its keys. The job's containers have their own copies, so any path outside home directories works. */
const PLUGIN_KEY_PATH = '/etc/volcano-ssh';

export function volcanoEngine(settings: VolcanoEngineSettings = {}): EngineDefinition {
  return {
    name: 'volcano',
    title: 'Volcano',
    upstream: 'Volcano v1.15 (batch.volcano.sh/v1alpha1)',
    capabilities: VOLCANO_CAPABILITIES,
    kindOf: () => identityOf(VOLCANO_JOB),
    rendersMore: true,
    validate: (name, spec) => volcanoViolations(planVolcanoJob({ name, spec }), settings),
    render: (job) => render(job, settings),
    environments: (job) => environments(job),
  };
}

function planVolcanoJob(engineJob: EngineJob): VolcanoPlan {
  const job = resolveTrainingJob(engineJob.name, engineJob.spec);
  const pods: EnginePods = {
    job,
    addresses: podAddresses((replica) => volcanoHost(job.name, replica)),
    ownership: engineOwnership(engineJob),
    live: { [ATTEMPT_VARIABLE]: RETRY_COUNT },
    mpiSecret: {
      secretName: `${job.name}-ssh`,
      defaultMode: 0o444,
      items: [{ key: 'id_rsa', path: 'ssh-privatekey' }, { key: 'id_rsa.pub', path: 'ssh-publickey' }],
    },
    createsPodGroup: false,
  };
  const tasks = job.roles.map((role) => {
    const replicas = replicasOfRole(job, role.name);
    const set = constructPodSet({ count: replicas.length, podAt: (index) => enginePodSpec(pods, replicas[index]), indexes: [TASK_INDEX] });
    return { role, replicas, set };
  });
  return { pods, tasks };
}

function render(engineJob: EngineJob, settings: VolcanoEngineSettings): EngineObjects {
  const { pods, tasks } = planVolcanoJob(engineJob);
  const { job } = pods;
  const { name, namespace, spec: { scheduling, runPolicy } } = engineJob;
  const success = successForm(job);
  // The first replicas in rank order, because the others wait for them.
  const members = countByRole(job.replicas.slice(0, gangMinimum(job)));
  return {
    job: plainObject<Manifest & { readonly spec: object }>({
      apiVersion: 'batch.volcano.sh/v1alpha1',
      kind: 'Job',
      metadata: { name, namespace, labels: jobLabels(name) },
      spec: {
        schedulerName: scheduling?.schedulerName ?? 'volcano',
        queue: scheduling?.gang?.queue ?? settings.queue ?? 'default',
        priorityClassName: scheduling?.priorityClassName,
        minAvailable: [...members.values()].reduce((sum, count) => sum + count, 0),
        minSuccess: success.form === 'count' ? success.minSuccess : undefined,
        maxRetry: maxRetry(job),
        ttlSecondsAfterFinished: runPolicy?.ttlSecondsAfterFinished,
        networkTopology: settings.networkTopology,
        plugins: {
          // The plugin's own network policy would block all other pods, whatever the job asks for; and ranks connect before they are ready.
          svc: ['--publish-not-ready-addresses=true', '--disable-network-policy=true'],
          ...(needsMpiFiles(job) && { ssh: [`--ssh-key-file-path=${PLUGIN_KEY_PATH}`, `--ssh-port=${MPI_SSH_PORT}`] }),
        },
        tasks: tasks.map(({ role, replicas, set }) => ({
          name: role.name,
          replicas: replicas.length,
          minAvailable: members.get(role.name) ?? 0,
          maxRetry: TASK_MAX_RETRY,
          policies: taskPolicies(job, role, success),
          template: { metadata: templateMetadata(pods, replicas), spec: taskPodSpec(set.spec) },
        })),
      },
    }),
    companions: constructCompanions(pods),
  };
}

/**
 * The pod of a task with the defaults that Volcano's webhook adds to a new job, which a second apply would remove. Requests are explicit, because the
 * controller sums them up for the gang.
 */
function taskPodSpec(spec: PodSpec): PodSpec {
  const complete = withRequestsOfLimits(spec);
  return typedPodSpec(spec.hostNetwork === true && spec.dnsPolicy === undefined ? { ...complete, dnsPolicy: 'ClusterFirstWithHostNet' } : complete);
}

function environments(engineJob: EngineJob): EngineEnvironment[] {
  const { pods: { job }, tasks } = planVolcanoJob(engineJob);
  const hosts = volcanoHostVariables(job);
  return tasks.flatMap(({ replicas, set }) => replicas.map((replica, position) => ({
    role: replica.role,
    index: replica.index,
    pod: volcanoPodName(job.name, replica),
    env: [...inFirstAttempt(set.environmentAt(position)), ...hosts],
  })));
}
