/**
 * The files of `trainyard dev`, below `.trainyard` in the current folder:
 *
 *     .trainyard/dev/kubeconfig        for kubectl; the same path each time
 *     .trainyard/dev/operator.log      the operator's log
 *     .trainyard/dev/operator.mjs      its program
 *     .trainyard/dev/control-plane/    etcd's data, certificates, logs; removed at the start without --keep
 *     .trainyard/dev/logs/NAMESPACE/   a file for each pod and attempt
 *     .trainyard/dev/pods/             volumes of existing pods
 *     .trainyard/claims/, jobs/JOB/checkpoints/   as for `trainyard run`, so that both see the same
 */
import fs from 'node:fs';
import path from 'node:path';
import { acquireFolderLock } from '../control-plane/folder-lock';
import { ATTEMPT_LABEL } from '../../model/labels';
import type { Pod } from '../../manifests/kubernetes';
import type { PodFolders } from '../process/volume-folders';
import { ignoreByGit } from '../runner/state-folder';

export class DevFolder {
  /** @param root a `.trainyard` */
  public constructor(private readonly root: string) {}

  /**
   * Creates the folder and removes files of the last pods and, unless `keep` is set, of the last cluster.
   * @throws Error when `trainyard dev` runs in this folder
   */
  public async prepare(keep: boolean): Promise<void> {
    // Its control plane holds this lock as long as it runs.
    const lock = await acquireFolderLock(this.controlPlane, { timeoutMs: 0 }).catch((error: Error) => {
      throw new Error(`trainyard dev already runs in this folder: ${error.message}`, { cause: error });
    });
    for (const name of keep ? ['pods'] : ['pods', 'logs', 'control-plane']) {
      fs.rmSync(this.path(name), { recursive: true, force: true });
    }
    lock.release();
    fs.mkdirSync(this.path('logs'), { recursive: true });
    ignoreByGit(this.root);
  }

  public get kubeconfig(): string {
    return this.path('kubeconfig');
  }

  public get operatorLog(): string {
    return this.path('operator.log');
  }

  /** The operator's program, unpacked. */
  public get operatorProgram(): string {
    return this.path('operator.mjs');
  }

  public get controlPlane(): string {
    return this.path('control-plane');
  }

  /** The script that replaces ssh for MPI launchers. */
  public get mpiAgent(): string {
    return this.path('run-on-host.sh');
  }

  /** Checkpoints without a volume. In the default namespace, `trainyard run` uses the same folder. */
  public checkpoints(namespace: string, jobName: string): string {
    return path.join(this.root, 'jobs', namespace === 'default' ? jobName : `${namespace}_${jobName}`, 'checkpoints');
  }

  /** Folder with the process ids of a job's workers. Removed with the folders of pods. */
  public workers(namespace: string, jobName: string): string {
    return this.path('pods', `workers_${namespace}_${jobName}`);
  }

  /** Folders of a pod. Another pod of the same name has others. */
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
