/**
 * A job as objects of training-operator v1, and the environments of its replicas.
 */
import { injectedNames, SSH_VARIABLES, v1Injection } from './injected';
import { V1_API_VERSION, v1Layout, type V1Layout } from './kinds';
import { elasticPolicy, processesPerNode } from './pytorch';
import { cohortEnvironments, templateEnvironments, templateReplicas, type Cohort } from '../cohorts';
import type { EngineEnvironment, EngineJob, EngineObjects } from '../engine';
import { controlFields, engineOwnership, jobLabels, queueLabels } from '../indexed/companions';
import { constructRoleTemplate } from '../role-template';
import type { TemplateEnvironment } from '../template-environment';
import { constructNetworkPolicies } from '../../job/network-policy';
import type { EnvVar, Manifest, PodSpec } from '../../kubernetes';
import { plainObject } from '../../plain-object';
import type { NamedPort } from '../../pod/ports';
import type { ReplicaVolumes } from '../../pod/replica-volumes';
import { constructToolsConfigMap, needsTools } from '../../tools/tools-config-map';
import { COORDINATOR_PORT_NAME } from '../../../model/frameworks/address-book';
import { DEEPSPEED_HOSTFILE, MPI_WORKER_COMMAND, slotsPerWorker } from '../../../model/frameworks/mpi';
import { replicaSpecsOf } from '../../../model/kinds/kubeflow-v1-jobs';
import { RESERVED_VOLUME_PREFIX } from '../../../model/labels';
import { INT32_MAX } from '../../../model/shapes';
import { gangMinimum } from '../../../model/training-job/scheduling';
import { resolveTrainingJob, type ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';

/** Namespace in full host names if the job names none. */
const DEFAULT_NAMESPACE = 'default';

/** Renders a job that complies with all rules. */
export function renderV1Job(engineJob: EngineJob): EngineObjects {
  const job = resolveTrainingJob(engineJob.name, engineJob.spec);
  const layout = v1Layout(job);
  const { kind } = layout;
  const ownership = engineOwnership(engineJob);
  const environments = rendered(layout);
  return {
    job: plainObject<Manifest & { spec: object }>({
      apiVersion: V1_API_VERSION,
      kind: kind.kind,
      metadata: { name: job.name, namespace: engineJob.namespace, labels: { ...jobLabels(job.name), ...queueLabels(engineJob) } },
      spec: {
        runPolicy: v1RunPolicy(job),
        ...kindFields(job, layout),
        [replicaSpecsOf(kind.kind)]: Object.fromEntries(layout.cohorts.map((cohort) => (
          [cohort.name, replicaSpec(layout, cohort, environments.get(cohort)!.env, engineJob.namespace)]))),
      },
    }),
    companions: [
      ...constructNetworkPolicies(job, ownership),
      ...(needsTools(job) ? [constructToolsConfigMap(job, ownership)] : []),
    ],
  };
}

/** The environment of each replica of a job. */
export function v1Environments({ name, namespace = DEFAULT_NAMESPACE, spec }: EngineJob): EngineEnvironment[] {
  const layout = v1Layout(resolveTrainingJob(name, spec));
  return cohortEnvironments(layout, rendered(layout), v1Injection(layout, namespace));
}

/** Fields that only one of the kinds has. */
function kindFields(job: ResolvedTrainingJob, { kind }: V1Layout): object {
  switch (kind.kind) {
    case 'PyTorchJob':
      return { nprocPerNode: processesPerNode(job), ...(job.spec.elastic && { elasticPolicy: elasticPolicy(job) }) };
    case 'TFJob':
      return { successPolicy: job.successPolicy === 'AllWorkers' ? 'AllWorkers' : '' };
    case 'MPIJob':
      return { slotsPerWorker: slotsPerWorker(job) };
    default:
      return {};
  }
}

function replicaSpec(layout: V1Layout, cohort: Cohort, env: readonly EnvVar[], namespace: string | undefined): object {
  const { kind, job } = layout;
  // Workers of MPI wait for kubectl exec with the controller's command, instead of running an ssh server.
  const { command } = cohort.role;
  const role = { ...cohort.role, command: command === MPI_WORKER_COMMAND ? undefined : command };
  const { metadata, spec } = constructRoleTemplate({
    replicas: templateReplicas(layout, cohort),
    namespace,
    role,
    container: kind.container,
    env,
    ports: ports(layout),
    volumes: hostfileVolume(job, cohort),
    // mpirun reaches the workers through the API server, with the token of the service account that the controller creates for the launcher.
    token: cohort.name === 'Launcher',
  });
  const template = { metadata, spec: { ...spec, ...podDeadline(job, spec) } };
  return { replicas: cohort.replicas.length, restartPolicy: cohort.role.restartPolicy, template };
}

/** The rendered environments: the model's contract as far as templates can express it, without the controller's variables. */
function rendered(layout: V1Layout): Map<Cohort, TemplateEnvironment> {
  const injection = v1Injection(layout, DEFAULT_NAMESPACE);
  return templateEnvironments(layout, (cohort) => new Set([...injectedNames(injection, cohort), ...SSH_VARIABLES]));
}

/** The port that the controller searches for, and the job's own if that differs. MPI has no ports. */
function ports({ kind: { portName, port }, job }: V1Layout): NamedPort[] {
  if (portName === undefined) {
    return [];
  }
  return port === undefined || port === job.port
    ? [{ name: portName, port: job.port }]
    : [{ name: portName, port }, { name: COORDINATOR_PORT_NAME, port: job.port }];
}

/** Mounts the hostfile of the controller's ConfigMap where DeepSpeed searches for it. */
function hostfileVolume(job: ResolvedTrainingJob, { name: type }: Cohort): ReplicaVolumes {
  const name = `${RESERVED_VOLUME_PREFIX}hostfile`;
  return job.framework.name !== 'deepspeed' || type !== 'Launcher' ? { volumes: [], mounts: [] } : {
    volumes: [{ name, configMap: { name: `${job.name}-config`, items: [{ key: 'hostfile', path: 'hostfile' }] } }],
    mounts: [{ name, mountPath: DEEPSPEED_HOSTFILE, subPath: 'hostfile', readOnly: true }],
  };
}

function v1RunPolicy(job: ResolvedTrainingJob): object {
  const { roles, runPolicy, spec } = job;
  return plainObject({
    cleanPodPolicy: runPolicy.cleanPodPolicy,
    backoffLimit: roles.some(({ restartPolicy }) => restartPolicy !== 'Never') ? v1BackoffLimit(runPolicy.backoffLimit) : undefined,
    activeDeadlineSeconds: runPolicy.activeDeadlineSeconds,
    ttlSecondsAfterFinished: runPolicy.ttlSecondsAfterFinished,
    schedulingPolicy: schedulingPolicy(job),
    ...controlFields(spec),
  });
}

/**
 * The deadline of a pod. The controller checks a job's deadline only at events of the job, because its timer does nothing. The kubelet enforces a
 * pod's deadline, and the failed pod triggers the controller. A shorter deadline of the template remains.
 * @see https://github.com/kubeflow/trainer/blob/v1.9.4/pkg/common/util/fake_workqueue.go
 */
function podDeadline({ runPolicy }: ResolvedTrainingJob, { activeDeadlineSeconds: own }: PodSpec): Partial<PodSpec> {
  const deadline = runPolicy.activeDeadlineSeconds;
  return deadline === undefined ? {} : { activeDeadlineSeconds: Math.min(deadline, typeof own === 'number' ? own : deadline) };
}

/** v1 fails a job as soon as its containers have restarted that often, the operator only when they would have to restart once more. */
function v1BackoffLimit(limit: number): number {
  return limit === 0 ? 0 : Math.min(limit + 1, INT32_MAX);
}

function schedulingPolicy(job: ResolvedTrainingJob): object | undefined {
  const { gang, priorityClassName } = job.spec.scheduling ?? {};
  return gang && {
    minAvailable: gangMinimum(job),
    queue: gang.queue,
    priorityClass: priorityClassName,
    scheduleTimeoutSeconds: gang.scheduleTimeoutSeconds,
  };
}
