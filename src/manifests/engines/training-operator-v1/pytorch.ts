/** Fields of a PyTorchJob other than its replicas. */
import { PodAddressBook } from '../../../model/frameworks/address-book';
import { DEFAULT_ELASTIC_RESTARTS } from '../../../model/frameworks/pytorch';
import type { ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';

/** torchrun's own rendezvous, which has no dependencies. */
export const RENDEZVOUS_BACKEND = 'c10d';

/**
 * Option of the rendezvous that differs between replicas. Without it torchrun compares the endpoint with its host name, which works here.
 */
const IS_HOST = 'is_host';

/** `spec.elasticPolicy`. */
export interface V1ElasticPolicy {
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly rdzvBackend: string;
  readonly rdzvId: string;
  readonly rdzvConf: readonly { readonly key: string; readonly value: string }[];
  readonly maxRestarts: number;
}

/**
 * `spec.nprocPerNode`. v1 multiplies WORLD_SIZE by it if it is a number. So the default must also be right for a script that torchrun does not start:
 * `auto` with GPUs, as in v1 itself, and otherwise 1, a process that can use all CPUs with threads.
 */
export function processesPerNode(job: ResolvedTrainingJob): string {
  if (job.spec.nprocPerNode === undefined && job.spec.elastic === undefined) {
    return job.roles.some(({ resources }) => (resources.gpu ?? 0) > 0) ? 'auto' : '1';
  }
  return contractValue(job, 'PET_NPROC_PER_NODE');
}

/** The elastic policy of an elastic job, from the model's contract. */
export function elasticPolicy(job: ResolvedTrainingJob): V1ElasticPolicy {
  const { minReplicas, maxReplicas, maxRestarts = DEFAULT_ELASTIC_RESTARTS } = job.spec.elastic!;
  const settings = contractValue(job, 'PET_RDZV_CONF').split(',').map((setting) => setting.split('=') as [string, string]);
  return {
    minReplicas,
    maxReplicas,
    rdzvBackend: RENDEZVOUS_BACKEND,
    rdzvId: job.name,
    rdzvConf: settings.filter(([key]) => key !== IS_HOST).map(([key, value]) => ({ key, value })),
    maxRestarts,
  };
}

/** A variable of the last replica, which is a regular one: the user's own, or the contract's. */
function contractValue(job: ResolvedTrainingJob, name: string): string {
  const own = job.roles[job.roles.length - 1].env.find((entry) => entry.name === name)?.value;
  if (own !== undefined) {
    return own;
  }
  const replica = job.replicas[job.replicas.length - 1];
  const env = job.framework.environment({ job, replica, addresses: new PodAddressBook(job.name) });
  return env.find((entry) => entry.name === name)!.value!;
}
