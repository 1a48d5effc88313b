/**
 * The variables that the plugins of Kubeflow Trainer v2.3 add to a node, computed as the plugins compute them.
 * @see https://github.com/kubeflow/trainer/tree/v2.3.0/pkg/runtime/framework/plugins
 */
import type { Cohort } from '../cohorts';
import type { EnvVar, ResourceRequirements } from '../../kubernetes';
import { variable } from '../../../model/frameworks/contract';
import { slotsPerWorker } from '../../../model/frameworks/mpi';
import { tryParseQuantity } from '../../../model/quantities';
import type { ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';

/** Rendezvous port of the plugins; it cannot be changed. */
export const TRAINER_PORT = 29500;

/** Where the MPI plugin mounts its hostfile in the launcher. */
const HOSTFILE = '/etc/mpi/hostfile';

/** Field of the plugin in a runtime's `mlPolicy`. */
export type PluginName = 'torch' | 'jax' | 'xgboost' | 'mpi' | 'flux';

/** Input of a plugin. */
export interface PluginInput {
  readonly job: ResolvedTrainingJob;
  /** The nodes that train. For MPI's launcher, the plugin needs only the job. */
  readonly nodes: Cohort;
  /** Resources of the container `node`. */
  readonly resources: ResourceRequirements;
  /** `trainer.numProcPerNode`. */
  readonly numProcPerNode?: number;
}

/** Variables that a plugin appends in the container `node` of one replica of a cohort. */
export function pluginVariables(plugin: PluginName | undefined, input: PluginInput, cohort: Cohort, position: number): EnvVar[] {
  const { job, nodes } = input;
  const host = nodes.hostOf(0);
  const count = nodes.replicas.length;
  switch (plugin) {
    case 'torch': return [
      variable('PET_NNODES', count),
      variable('PET_NPROC_PER_NODE', torchProcesses(input)),
      variable('PET_NODE_RANK', position),
      variable('PET_MASTER_ADDR', host),
      variable('PET_MASTER_PORT', TRAINER_PORT),
    ];
    case 'jax': return [
      variable('JAX_NUM_PROCESSES', count),
      variable('JAX_PROCESS_ID', position),
      variable('JAX_COORDINATOR_ADDRESS', `${host}:${TRAINER_PORT}`),
    ];
    case 'xgboost': return [
      variable('DMLC_TRACKER_URI', host),
      variable('DMLC_TRACKER_PORT', TRAINER_PORT),
      variable('DMLC_TASK_ID', position),
      variable('DMLC_NUM_WORKER', count * Math.max(1, countedGpus(input.resources) ?? Number.NaN)),
    ];
    case 'mpi': return cohort === nodes ? [] : [
      variable('OMPI_MCA_orte_default_hostfile', HOSTFILE),
      variable('OMPI_MCA_orte_keep_fqdn_hostnames', 'true'),
      variable('OMPI_MCA_orte_set_default_slots', slotsPerWorker(job)),
      variable('OMPI_MCA_plm_rsh_args', '-o ConnectionAttempts=10'),
    ];
    default: return [];
  }
}

/** Names of the variables that a plugin adds. Trainer rejects a TrainJob that sets one of them. */
export function pluginVariableNames(plugin: PluginName | undefined, input: PluginInput, cohort: Cohort): ReadonlySet<string> {
  return new Set(pluginVariables(plugin, input, cohort, 0).map(({ name }) => name));
}

/** Processes per node of the torch plugin, with its default. */
function torchProcesses({ numProcPerNode, resources }: PluginInput): string | number {
  if (numProcPerNode !== undefined) {
    return numProcPerNode;
  }
  const cpus = tryParseQuantity(String(resources.requests?.cpu ?? resources.limits?.cpu ?? '')) ?? 0;
  return (countedGpus(resources) ?? 0) > 0 ? 'auto' : Math.max(1, Math.ceil(cpus));
}

/**
 * GPUs of a node as Trainer counts them: the amount of a resource with `gpu` in its name, which MIG slices (`nvidia.com/mig-1g.5gb`) and TPUs do not
 * have. Undefined if there are several such resources, because Trainer uses a random one.
 */
export function countedGpus({ requests = {}, limits = {} }: ResourceRequirements): number | undefined {
  const all: { readonly [name: string]: string } = { ...limits, ...requests };
  const names = Object.keys(all).filter((name) => name.toLowerCase().includes('gpu'));
  return names.length > 1 ? undefined : Number(all[names[0]] ?? 0);
}
