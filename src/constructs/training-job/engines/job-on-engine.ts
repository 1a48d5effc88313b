/**
 * A job as its engine sees it: what is wrong with it, and what it becomes. cdk8s asks for both again and again: for problems once for the app and
 * once more for each of its charts. Rules and renderers know nothing but the job, so each is asked once until the job changes, and what was checked
 * is what is rendered.
 */
import type { EngineDefinition, EngineJob, EngineObjects } from '../../../manifests/engines/engine';
import type { Violation } from '../../../model/violations';

/** What was said of a job. */
interface Answers {
  readonly job: EngineJob;
  problems?: readonly Violation[];
  objects?: EngineObjects;
}

/** See the top of this file. */
export class JobOnEngine {
  private answers?: Answers;

  /**
   * @param read the job as it stands: the same until {@link changed} is called
   * @param check what is wrong with it
   */
  public constructor(
    private readonly engine: EngineDefinition,
    private readonly read: () => EngineJob,
    private readonly check: (job: EngineJob) => readonly Violation[],
  ) {}

  /** The job is another one from now on. */
  public changed(): void {
    this.answers = undefined;
  }

  /** The job as it stands. */
  public job(): EngineJob {
    return this.current().job;
  }

  /** What is wrong with the job; empty when the engine runs it as it is meant. */
  public problems(): readonly Violation[] {
    const answers = this.current();
    return answers.problems ??= this.check(answers.job);
  }

  /** What the job becomes; undefined while it has problems. */
  public tryObjects(): EngineObjects | undefined {
    return this.problems().length > 0 ? undefined : this.objects();
  }

  /** What a job without problems becomes. */
  public objects(): EngineObjects {
    const answers = this.current();
    return answers.objects ??= this.engine.render(answers.job);
  }

  private current(): Answers {
    return this.answers ??= { job: this.read() };
  }
}
