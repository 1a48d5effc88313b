/**
 * PyTorch: the variables that `torchrun` reads (`PET_*`, Trainer v2) and those of `init_method='env://'` (training-operator v1).
 * @see https://docs.pytorch.org/docs/stable/elastic/run.html
 * @see https://www.kubeflow.org/docs/components/trainer/legacy-v1/user-guides/pytorch/
 */
import { COORDINATOR_PORT_NAME } from './address-book';
import { masterAndWorkers, variable, type FrameworkContract, type ReplicaContext, type ResolvedTrainingJob } from './contract';
import { wholeCpus } from '../quantities';
import { coordinatorOf, hasMaster, roleOf } from '../training-job/replicas';
import type { SuccessPolicy } from '../training-job/run-policy';
import type { EnvVarSpec, ResourcesSpec } from '../training-job/spec';

export class PyTorchContract implements FrameworkContract {
  public readonly name = 'pytorch';
  public readonly title = 'PyTorch';
  public readonly roles = [{ name: 'master', singleton: true }, { name: 'worker' }];
  // Ranks exchange addresses through the store on the master; no other name is ever dialled.
  public readonly peersByName = false;
  public readonly restartScope = 'gang';

  public shortForm(replicas: number) {
    return masterAndWorkers(replicas);
  }

  public ports() {
    return [];
  }

  public successPolicy(job: ResolvedTrainingJob): SuccessPolicy {
    return hasMaster(job) ? 'Coordinator' : 'AllWorkers';
  }

  public environment({ job, replica, addresses }: ReplicaContext): EnvVarSpec[] {
    const coordinator = coordinatorOf(job);
    const host = addresses.host(coordinator);
    const port = addresses.port(coordinator, COORDINATOR_PORT_NAME, job.port);
    return [
      variable('PET_NNODES', job.trainers),
      variable('PET_NODE_RANK', replica.rank ?? 0),
      variable('PET_NPROC_PER_NODE', processesPerNode(job, roleOf(job, replica).resources)),
      variable('PET_MASTER_ADDR', host),
      variable('PET_MASTER_PORT', port),
    ];
  }
}

/**
 * As Trainer v2 counts: what the job says, else all GPUs (`auto`), else the CPUs that the replica asks for. `cpu` is counted here as well,
 * because torchrun would count those of the whole node.
 */
function processesPerNode({ spec }: ResolvedTrainingJob, resources: ResourcesSpec): string | number {
  if (spec.nprocPerNode === undefined) {
    return (resources.gpu ?? 0) > 0 ? 'auto' : wholeCpus(resources);
  }
  return spec.nprocPerNode === 'cpu' && resources.cpu !== undefined ? wholeCpus(resources) : spec.nprocPerNode;
}
