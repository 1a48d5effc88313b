/** Log files of a run: one for each pod, attempt and container. */
import fs from 'node:fs';
import { unwritable, type JobStateFolder } from './state-folder';
import type { Replica } from '../../model/frameworks/contract';
import type { PodLine } from '../process/pod-process';

/** Writes them; a file begins with its first line. */
export class ReplicaLogs {
  private readonly files = new Map<string, number>();

  private broken = false;

  /** @param onError is called once, when a line cannot be written; no line is written after it */
  public constructor(private readonly state: JobStateFolder, private readonly onError: (error: Error) => void) {}

  /** Writes a line of a replica. Throws nothing: it is called for what a process prints, where nobody would catch an error. */
  public write(replica: Replica, attempt: number, { container, text }: PodLine): void {
    if (this.broken) {
      return;
    }
    const name = this.state.logFile(replica.podName, attempt, container);
    try {
      this.append(name, Buffer.from(`${text}\n`));
    } catch (error) {
      this.broken = true;
      this.onError(unwritable(name, error as Error));
    }
  }

  private append(name: string, line: Buffer): void {
    let file = this.files.get(name);
    if (file === undefined) {
      file = fs.openSync(name, 'a');
      this.files.set(name, file);
    }
    // A disk that is nearly full takes a part of a line and reports no error.
    for (let written = 0; written < line.length;) {
      written += fs.writeSync(file, line, written);
    }
  }

  /** Closes all files. */
  public close(): void {
    this.files.forEach((file) => fs.closeSync(file));
    this.files.clear();
  }
}
