/**
 * Where `trainyard dev` keeps its files, below the `.trainyard` of the folder it was started in:
 *
 *     .trainyard/dev/kubeconfig        for kubectl; the same path each time
 *     .trainyard/dev/operator.log      what the operator writes
 *     .trainyard/dev/operator.mjs      its program
 *     .trainyard/dev/control-plane/    etcd's data, certificates, logs; removed at the start, unless it is to be kept
 *     .trainyard/dev/logs/NAMESPACE/   a file for each pod and attempt
 *     .trainyard/dev/pods/             volumes of pods that are there
 *     .trainyard/claims/, jobs/JOB/checkpoints/   as for `trainyard run`, so that both see the same
 */
import fs from 'node:fs';
import path from 'node:path';
import { acquireFolderLock } from '../control-plane/folder-lock';
import { ATTEMPT_LABEL } from '../../model/labels';
import type { Pod } from '../../manifests/kubernetes';
import type { PodFolders } from '../process/volume-folders';

/** The files of one `trainyard dev`. */
export class DevFolder {
  /** @param root a `.trainyard` */
  public constructor(private readonly root: string) {}

  /**
   * Makes the folder and removes what the last `trainyard dev` left of its pods and, unless it is to be kept, of its cluster.
   * @throws Error when one still runs in this folder
   */
  public async prepare(keep: boolean): Promise<void> {
    const { root } = this;
    // Its control plane holds this lock as long as it runs.
    const lock = await acquireFolderLock(this.controlPlane, { timeoutMs: 0 }).catch((error: Error) => {
      throw new Error(`trainyard dev already runs in this folder: ${error.message}`, { cause: error });
    });
    for (const name of keep ? ['pods'] : ['pods', 'logs', 'control-plane']) {
      fs.rmSync(this.path(name), { recursive: true, force: true });
    }
    lock.release();
    fs.mkdirSync(this.path('logs'), { recursive: true });
    const ignore = path.join(root, '.gitignore');
    if (!fs.existsSync(ignore)) {
      fs.writeFileSync(ignore, '*\n');
    }
  }

  public get kubeconfig(): string {
    return this.path('kubeconfig');
  }

  public get operatorLog(): string {
    return this.path('operator.log');
  }

  /** The operator's program, where it came compressed. */
  public get operatorProgram(): string {
    return this.path('operator.mjs');
  }

  public get controlPlane(): string {
    return this.path('control-plane');
  }

  /** The stand-in for ssh of MPI launchers. */
  public get mpiAgent(): string {
    return this.path('run-on-host.sh');
  }

  /** Checkpoints of a job that no volume holds: for a job of the default namespace those of `trainyard run`. */
  public checkpoints(namespace: string, jobName: string): string {
    return path.join(this.root, 'jobs', namespace === 'default' ? jobName : `${namespace}_${jobName}`, 'checkpoints');
  }

  /** Where workers of a job tell that they live. Goes with what is left of pods. */
  public workers(namespace: string, jobName: string): string {
    return this.path('pods', `workers_${namespace}_${jobName}`);
  }

  /** Folders of a pod; a successor of the same name gets others. */
  public podFolders(pod: Pod): PodFolders {
    return { pod: this.path('pods', `${pod.metadata?.namespace}_${pod.metadata?.name}_${pod.metadata?.uid}`), claims: path.join(this.root, 'claims') };
  }

  public logFile(pod: Pod, container: string): string {
    const attempt = pod.metadata?.labels?.[ATTEMPT_LABEL];
    const folder = this.path('logs', pod.metadata?.namespace ?? 'default');
    fs.mkdirSync(folder, { recursive: true });
    return path.join(folder, [pod.metadata?.name, attempt && `attempt-${attempt}`, container !== 'training' && container, 'log'].filter(Boolean).join('.'));
  }

  private path(...names: string[]): string {
    return path.join(this.root, 'dev', ...names);
  }
}
