/**
 * PyTorch: the variables that `torchrun` reads (`PET_*`, Trainer v2) and those of `init_method='env://'` (training-operator v1).
 * @see https://docs.pytorch.org/docs/stable/elastic/run.html
 * @see https://www.kubeflow.org/docs/components/trainer/legacy-v1/user-guides/pytorch/
 */
import { framework, variable, type ResolvedTrainingJob } from './contract';
import { wholeCpus } from '../quantities';
import { coordinatorAddress, coordinatorOf, hasMaster, roleOf } from '../training-job/replicas/replicas';
import { didExitBySignal } from '../training-job/run-policy';
import type { ResourcesSpec } from '../training-job/spec';

/** How often torchrun starts its processes again in an elastic job that does not say: as often as training-operator v1's examples. */
export const DEFAULT_ELASTIC_RESTARTS = 100;

/**
 * Settings of torchrun's rendezvous, seconds. A replica whose peers wait for a node waits with them, because the operator decides when to give up
 * (`join_timeout`; torchrun's own is 600); replicas that come within `last_call_timeout` of the fewest are in the same round (torchrun's own is 30);
 * and a master may pull its image for longer than the 60 that torchrun would try to reach it (`read_timeout`).
 */
const RENDEZVOUS_SETTINGS = 'join_timeout=86400,last_call_timeout=15,read_timeout=600';

export const PYTORCH = framework({
  name: 'pytorch',
  title: 'PyTorch',
  roles: [{ name: 'master', singleton: true }, { name: 'worker' }],
  // Ranks exchange addresses through the store on the master; no other name is ever dialled.
  peersByName: false,
  elastic: {
    // An agent that gives up closes the rendezvous for all: who joins it later is turned away. One that is killed cannot.
    endsGroup: (_replica, exitCode) => exitCode !== undefined && !didExitBySignal(exitCode),
    // torchrun starts the processes of all agents again.
    rewinds: true,
    processesPerReplica(job) {
      const { resources } = job.roles[0];
      const processes = Number(processesPerNode(job, resources));
      if (Number.isInteger(processes)) {
        return processes;
      }
      // `auto` and `gpu` are the GPUs where there are some.
      return job.spec.nprocPerNode === 'cpu' ? undefined : resources.gpu || undefined;
    },
  },

  successPolicy(job) {
    // As v1: torchrun's agents leave together, when the training has come to its end.
    if (job.spec.elastic) {
      return 'AnyWorker';
    }
    return hasMaster(job) ? 'Coordinator' : 'AllWorkers';
  },

  environment({ job, replica, addresses, attempt = 0 }) {
    const { host, port } = coordinatorAddress({ job, addresses });
    const processes = variable('PET_NPROC_PER_NODE', processesPerNode(job, roleOf(job, replica).resources));
    const { elastic } = job.spec;
    if (elastic) {
      return [
        variable('PET_NNODES', `${elastic.minReplicas}:${elastic.maxReplicas}`),
        processes,
        variable('PET_RDZV_BACKEND', 'c10d'),
        variable('PET_RDZV_ENDPOINT', `${host}:${port}`),
        // A rendezvous that was closed stays closed; the next attempt has another.
        variable('PET_RDZV_ID', `${job.name}-${attempt}`),
        variable('PET_MAX_RESTARTS', elastic.maxRestarts ?? DEFAULT_ELASTIC_RESTARTS),
        // Said and not left to torchrun's guess by host names: on one machine every agent would take itself for the host.
        variable('PET_RDZV_CONF', `is_host=${replica.podName === coordinatorOf(job).podName},${RENDEZVOUS_SETTINGS}`),
      ];
    }
    return [
      variable('PET_NNODES', job.trainers),
      variable('PET_NODE_RANK', replica.rank ?? 0),
      processes,
      variable('PET_MASTER_ADDR', host),
      variable('PET_MASTER_PORT', port),
    ];
  },
});

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
