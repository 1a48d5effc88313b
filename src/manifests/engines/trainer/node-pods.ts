/**
 * Pods of a job whose environment a plugin completes: their templates and environments.
 *
 * MPI on Trainer: its plugin creates a key pair, a hostfile and a few variables, and expects the rest in the image: a user, an ssh server, their
 * settings. As with the operator, any image with OpenSSH should work, so the job gets the operator's files (`../../job/mpi-files.ts`), with three
 * differences. The plugin's hostfile uses `/etc/mpi`, so ours are elsewhere. There is one key pair, which is also the workers' host key. And the
 * plugin sets the arguments of ssh, so the settings are part of the name of the program that mpirun calls.
 */
import { NODE, type PluginPlan } from './plan';
import { pluginVariableNames, pluginVariables } from './plugins';
import { cohortEnvironments, templateEnvironments, templateReplicas, type Cohort } from '../cohorts';
import type { EngineEnvironment } from '../engine';
import { COMPLETION_INDEX } from '../job';
import { constructRoleTemplate } from '../role-template';
import type { TemplateEnvironment } from '../template-environment';
import { GANG_RENDERERS } from '../../gang';
import type { ObjectOwnership } from '../../job/job-metadata';
import { constructMpiConfigMap, MPI_SECRET_PATH } from '../../job/mpi-files';
import type { EnvVar, Manifest } from '../../kubernetes';
import type { PodTemplate } from '../../pod/pod-template';
import type { NamedPort } from '../../pod/ports';
import { mpiInitContainer, mpiVolumes } from '../../pod/replica-volumes';
import { withRequestsOfLimits } from '../../pod/resources';
import { COORDINATOR_PORT_NAME } from '../../../model/frameworks/address-book';
import { MPI_CONFIG_PATH, MPI_WORKER_COMMAND } from '../../../model/frameworks/mpi';
import { mpiSecretName } from '../../../model/names';

/** Environments of the templates, by cohort: the model's contract without the plugin's variables. */
function nodeEnvironments(plan: PluginPlan): Map<Cohort, TemplateEnvironment> {
  const { layout, plugin, input, shape } = plan;
  const environments = templateEnvironments(layout, (cohort) => pluginVariableNames(plugin, input, cohort));
  return shape !== 'launcher' ? environments : new Map([...environments].map(([cohort, { env, omitted }]) => [cohort, { env: mpiEnvironment(env, cohort), omitted }]));
}

/** The environment of each replica, including what Kubernetes appends in the pods of an Indexed Job. */
export function pluginEnvironments(plan: PluginPlan): EngineEnvironment[] {
  const { layout, plugin, input } = plan;
  return cohortEnvironments(layout, nodeEnvironments(plan), (cohort, position) => [
    ...pluginVariables(plugin, input, cohort, position), { name: COMPLETION_INDEX.name, value: String(position) },
  ]);
}

/** Templates of the pods, by cohort. @param namespace of the job */
export function nodeTemplates(plan: PluginPlan, namespace?: string): Map<Cohort, PodTemplate> {
  const environments = nodeEnvironments(plan);
  return new Map(plan.layout.cohorts.map((cohort) => [cohort, nodeTemplate(plan, cohort, environments.get(cohort)!, namespace)]));
}

function nodeTemplate(plan: PluginPlan, cohort: Cohort, { env }: TemplateEnvironment, namespace: string | undefined): PodTemplate {
  const { layout, shape, job } = plan;
  const isMpi = shape === 'launcher';
  const { metadata, spec } = constructRoleTemplate({
    replicas: templateReplicas(layout, cohort),
    namespace,
    role: isMpi ? { ...cohort.role, command: mpiCommand(cohort.role.command) } : cohort.role,
    container: NODE,
    env,
    ports: ports(plan, cohort),
    ...(isMpi && {
      volumes: mpiVolumes(job, cohort.role, mpiSecretName(job.name), FOLDER),
      initContainers: (training) => [mpiInitContainer(cohort.role.name, training, FOLDER)],
    }),
  });
  const { gang } = job.spec.scheduling ?? {};
  // The controller creates the group, but the runtime names the scheduler.
  const schedulerName = spec.schedulerName ?? (gang && GANG_RENDERERS[gang.scheduler].schedulerName);
  // Gang plugins sum up the requests of the templates, before an API server has set their defaults.
  return { metadata, spec: { ...withRequestsOfLimits(spec), ...(schedulerName !== undefined && { schedulerName }), restartPolicy: 'Never' } };
}

/** Plugins add the rendezvous port; the other ports are the model's. */
function ports({ job, plugin }: PluginPlan, { role }: Cohort): NamedPort[] {
  switch (plugin) {
    case undefined: return [{ name: COORDINATOR_PORT_NAME, port: job.port }];
    case 'mpi': return job.framework.ports.filter(({ roles }) => roles?.includes(role.name)).map(({ name, port }) => ({ name, port }));
    default: return [];
  }
}

/** Folder with our files. */
const FOLDER = '/etc/trainyard/mpi';

/** Program with which mpirun reaches the workers. */
const AGENT_VARIABLE = 'OMPI_MCA_plm_rsh_agent';

/** `mlPolicy.mpi`. Programs do not use the plugin's mount of the keys, because ssh rejects files that a group can read. */
export function mpiPolicy({ input }: PluginPlan): object {
  return { numProcPerNode: input.numProcPerNode, mpiImplementation: 'OpenMPI', sshAuthMountPath: MPI_SECRET_PATH, runLauncherAsNode: false };
}

/** The ConfigMap with our files. */
export function mpiCompanions({ job, layout }: PluginPlan, ownership: ObjectOwnership): Manifest[] {
  return [constructMpiConfigMap(job, ownership, layout.addresses, { folder: FOLDER, workerHosts: `${job.name}-${NODE}-*` })];
}

/** The model's variables with our paths. */
function mpiEnvironment(env: readonly EnvVar[], { name }: Cohort): EnvVar[] {
  const moved = env.map((entry) => (entry.value?.includes(`${MPI_CONFIG_PATH}/`)
    ? { ...entry, value: entry.value.replaceAll(`${MPI_CONFIG_PATH}/`, `${FOLDER}/`) } : entry));
  const agent = { name: AGENT_VARIABLE, value: `ssh -F ${FOLDER}/ssh_config` };
  return name === NODE || moved.some((entry) => entry.name === AGENT_VARIABLE) ? moved : [...moved, agent];
}

/** The default command of workers, with our path. */
function mpiCommand(command: readonly string[] | undefined): readonly string[] | undefined {
  return command === MPI_WORKER_COMMAND ? command.map((word) => word.replace(MPI_CONFIG_PATH, FOLDER)) : command;
}

