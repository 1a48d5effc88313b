/**
 * A job as its engine sees it: what is wrong with it, and what it becomes. cdk8s asks for both again and again: for problems once for the app and
 * once more for each of its charts, for objects field by field. Rules and renderers know nothing but the job, so one that reads as it did when it was
 * asked about last gets the same answers; one that reads differently, or cannot be told apart from another (`json-text.ts`), gets new ones.
 */
import type { EngineDefinition, EngineJob, EngineObjects } from '../../manifests/engines/engine';
import { validateForEngine } from '../../manifests/engines/validation';
import { tryJsonText } from '../../model/json-text';
import type { Violation } from '../../model/violations';

/** What was said of a job that reads as `text`. */
interface Answers {
  readonly text: string | undefined;
  problems?: readonly Violation[];
  objects?: EngineObjects;
}

/** See the top of this file. */
export class JobOnEngine {
  private last: Answers = { text: undefined };

  /** @param read the job as it stands; it may change until synth */
  public constructor(private readonly engine: EngineDefinition, private readonly read: () => EngineJob) {}

  /** What is wrong with the job; empty when the engine runs it as it is meant. */
  public problems(): readonly Violation[] {
    const job = this.read();
    return this.problemsOf(job, this.answersFor(job));
  }

  /** What the job becomes; undefined while it has problems. */
  public tryObjects(): EngineObjects | undefined {
    const job = this.read();
    const answers = this.answersFor(job);
    return this.problemsOf(job, answers).length > 0 ? undefined : this.objectsOf(job, answers);
  }

  /** What a job without problems becomes. */
  public objects(): EngineObjects {
    const job = this.read();
    return this.objectsOf(job, this.answersFor(job));
  }

  private problemsOf(job: EngineJob, answers: Answers): readonly Violation[] {
    return answers.problems ??= validateForEngine(this.engine, job.name, job.spec);
  }

  private objectsOf(job: EngineJob, answers: Answers): EngineObjects {
    return answers.objects ??= this.engine.render(job);
  }

  private answersFor({ name, namespace, labels, spec }: EngineJob): Answers {
    const text = tryJsonText([name, namespace ?? null, labels ?? null, spec]);
    if (text === undefined || text !== this.last.text) {
      this.last = { text };
    }
    return this.last;
  }
}
