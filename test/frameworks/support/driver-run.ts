/** The driver of an engine as a process, and what it prints: its own lines, and those of the replicas with their names in front. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { EngineDefinition, EngineObjects } from '../../../src/manifests/engines/engine';
import { validateForEngine } from '../../../src/manifests/engines/validation';
import type { ConfigMap } from '../../../src/manifests/kubernetes';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { eventually } from '../../cluster/support/cluster';

/** How the driver has ended. */
export interface DriverEnd {
  readonly code: number | null;
  readonly lines: readonly string[];
}

/** A line of JSON that a replica has printed. */
export interface Printed {
  readonly replica: string;
  readonly [field: string]: unknown;
}

/** See the top of this file. */
export class DriverRun {
  public readonly lines: string[] = [];
  /** Folder of the job's files; programs find it in the variable `FOLDER`. */
  public readonly folder: string;
  public readonly objects: EngineObjects;
  private process: ChildProcess | undefined;
  private ended: Promise<number | null> | undefined;

  /**
   * @param title for the folder's name
   * @param folder that of an earlier run @default - a new one
   */
  public constructor(title: string, engine: EngineDefinition, job: Omit<TrainingJobSpec, 'image'>, folder?: string) {
    this.folder = folder ?? mkdtempSync(path.join(os.tmpdir(), `trainyard-${title}-`));
    const spec: TrainingJobSpec = { image: 'none', ...job, env: [...job.env ?? [], { name: 'FOLDER', value: this.folder }] };
    const wrong = validateForEngine(engine, 'net', spec);
    if (wrong.length > 0) {
      throw new Error(JSON.stringify(wrong));
    }
    this.objects = engine.render({ name: 'net', spec });
  }

  /** Starts the driver. */
  public start(python: string, env: NodeJS.ProcessEnv): void {
    Object.entries((this.objects.companions[0] as ConfigMap).data!).forEach(([name, text]) => writeFileSync(path.join(this.folder, name), text));
    const driver = spawn(python, ['-u', path.join(this.folder, 'driver.py')], { env: { ...systemEnvironment(), ...env }, detached: true, cwd: this.folder });
    this.process = driver;
    for (const stream of [driver.stdout, driver.stderr]) {
      let rest = '';
      stream.setEncoding('utf8').on('data', (text: string) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop()!;
        this.lines.push(...lines);
      });
    }
    this.ended = new Promise((resolve) => driver.once('close', resolve));
  }

  /** Whether it runs no more. */
  public get hasEnded(): boolean {
    return this.process?.exitCode !== null || this.process.signalCode !== null;
  }

  /** Puts a file where programs of the job look for it. */
  public write(name: string, text = ''): void {
    writeFileSync(path.join(this.folder, name), text);
  }

  /** Lines of JSON that replicas have printed so far. */
  public printed(): Printed[] {
    return this.lines.flatMap((line) => {
      const found = /^\[([a-z0-9-]+)\] (\{"framework".*)$/.exec(line);
      return found === null ? [] : [{ replica: found[1], ...JSON.parse(found[2]) as object }];
    });
  }

  /** Waits until the replicas have printed what a test looks for. */
  public async until(what: string, found: (printed: readonly Printed[]) => boolean): Promise<void> {
    try {
      await eventually(what, () => Promise.resolve(found(this.printed()) || undefined), 90_000);
    } catch (error) {
      throw new Error(`${(error as Error).message}; there was:\n${this.lines.join('\n')}`, { cause: error });
    }
  }

  /** The driver's end. */
  public async end(): Promise<DriverEnd> {
    return { code: await this.ended!, lines: this.lines };
  }

  /** Ends the driver, with all that it has started itself, and removes the files. */
  public stop(): void {
    killGroup(this.process);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Ends a process and those of its group. */
export function killGroup(child: ChildProcess | undefined): void {
  if (child?.pid !== undefined) {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

/** What programs of this machine need to be found. */
export function systemEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME };
}
