/** Adapts pods of training jobs to this machine, like `trainyard run`. Other pods are not changed. */
import { checkpointMapping } from '../runner/checkpoint-mapping';
import { sliceGpus, visibleGpus } from '../runner/gpu-slices';
import { prepareDiscovery } from '../runner/local-discovery';
import { localPod } from '../runner/local-pod';
import { writeMpiAgent } from '../runner/mpi-launch';
import type { DevFolder } from './dev-folder';
import type { PathMapping } from '../process/local-path';
import type { Pod } from '../../manifests/kubernetes';
import { API_GROUP, API_VERSION, TRAINING_JOB_KIND, TRAINING_JOB_PLURAL } from '../../model/labels';
import { resolveTrainingJob } from '../../model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import type { KubeClient } from '../../operator/runtime/kube-client';
import type { KubeObject } from '../../operator/runtime/kube-object';
import type { ResourceKind } from '../../operator/runtime/resource-kind';

const TRAINING_JOBS: ResourceKind = {
  group: API_GROUP, version: API_VERSION, plural: TRAINING_JOB_PLURAL, kind: TRAINING_JOB_KIND, namespaced: true,
};

export interface AdaptedPod {
  readonly pod: Pod;
  readonly mappings: readonly PathMapping[];
}

export class TrainingPods {
  public constructor(
    private readonly client: KubeClient,
    private readonly folder: DevFolder,
    private readonly env: NodeJS.ProcessEnv,
    private readonly warn: (message: string) => void,
  ) {
    writeMpiAgent(folder.mpiAgent);
  }

  /** The pod as it runs on this machine. */
  public async adapt(pod: Pod): Promise<AdaptedPod> {
    const owner = pod.metadata?.ownerReferences?.find((reference) => reference.controller && reference.kind === TRAINING_JOB_KIND);
    const found = owner && await this.client.tryGet<KubeObject & { spec?: TrainingJobSpec }>(TRAINING_JOBS, {
      namespace: pod.metadata?.namespace, name: owner.name,
    });
    if (!found?.spec) {
      return { pod, mappings: [] };
    }
    const job = resolveTrainingJob(owner!.name, found.spec);
    const replica = job.replicas.find((candidate) => candidate.podName === pod.metadata?.name);
    if (replica === undefined) {
      return { pod, mappings: [] };
    }
    const gpus = sliceGpus(job, visibleGpus(this.env));
    if (gpus.warning) {
      this.warn(`${job.name}: ${gpus.warning}`);
    }
    const workersFolder = this.folder.workers(pod.metadata?.namespace ?? 'default', job.name);
    prepareDiscovery(job, workersFolder);
    const adapted = localPod(pod, {
      job, replica, gpus, mpiAgent: this.folder.mpiAgent, workersFolder, warn: (message) => this.warn(`${pod.metadata?.name}: ${message}`),
    });
    const checkpoints = checkpointMapping(job, adapted, this.folder.checkpoints(pod.metadata?.namespace ?? 'default', job.name));
    return { pod: adapted, mappings: checkpoints ? [checkpoints] : [] };
  }
}
