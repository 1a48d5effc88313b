/** Log files of a run: one for each pod, attempt and container. */
import fs from 'node:fs';
import type { JobStateFolder } from './state-folder';
import type { Replica } from '../../model/frameworks/contract';
import type { PodLine } from '../process/pod-process';

/** Writes them; a file begins with its first line. */
export class ReplicaLogs {
  private readonly files = new Map<string, number>();

  public constructor(private readonly state: JobStateFolder) {}

  /** Writes a line of a replica. */
  public write(replica: Replica, attempt: number, { container, text }: PodLine): void {
    const name = this.state.logFile(replica.podName, attempt, container);
    let file = this.files.get(name);
    if (file === undefined) {
      file = fs.openSync(name, 'a');
      this.files.set(name, file);
    }
    fs.writeSync(file, `${text}\n`);
  }

  /** Closes all files. */
  public close(): void {
    this.files.forEach((file) => fs.closeSync(file));
    this.files.clear();
  }
}
