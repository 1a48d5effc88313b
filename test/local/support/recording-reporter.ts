import type { PodLine } from '../../../src/local/process/pod-process';
import type { RunReporter } from '../../../src/local/runner/run-reporter';
import type { Replica } from '../../../src/model/frameworks/contract';
import type { TrainingJobStatus } from '../../../src/model/training-job/status/status';

/** Keeps what a run tells. */
export class RecordingReporter implements RunReporter {
  public readonly lines: { readonly pod: string; readonly container: string; readonly text: string }[] = [];
  public readonly notices: string[] = [];
  public readonly warnings: string[] = [];
  public readonly phases: (string | undefined)[] = [];
  private readonly waiters: { readonly test: (text: string) => boolean; readonly resolve: () => void }[] = [];

  public started(): void {}

  public line(replica: Replica, { container, text }: PodLine): void {
    this.lines.push({ pod: replica.podName, container, text });
    this.waiters.filter(({ test }) => test(text)).forEach(({ resolve }) => resolve());
  }

  public notice(message: string): void {
    this.notices.push(message);
  }

  public warning(message: string): void {
    this.warnings.push(message);
  }

  public status({ phase }: TrainingJobStatus): void {
    if (this.phases.at(-1) !== phase) {
      this.phases.push(phase);
    }
  }

  /** All lines of a replica. */
  public textsOf(pod: string): string[] {
    return this.lines.filter((line) => line.pod === pod).map((line) => line.text);
  }

  /** Waits until `count` lines passed the test. */
  public async waitForLines(test: (text: string) => boolean, count = 1): Promise<void> {
    while (this.lines.filter(({ text }) => test(text)).length < count) {
      await new Promise<void>((resolve) => this.waiters.push({ test, resolve }));
    }
  }
}
