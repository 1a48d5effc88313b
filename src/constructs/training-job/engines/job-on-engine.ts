/**
 * A job as its engine sees it: what is wrong with it, and what it becomes. cdk8s asks for both again and again: for problems once for the app and
 * once more for each of its charts. Rules and renderers know nothing but the job, so each is asked once until the job changes, and what was checked
 * is what is rendered.
 */
import { ApiObject, Lazy } from 'cdk8s';
import type { Construct } from 'constructs';
import { PlainApiObject } from '../../rendering/plain-api-object';
import type { EngineDefinition, EngineJob, EngineObjects } from '../../../manifests/engines/engine';
import type { Manifest } from '../../../manifests/kubernetes';
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

/**
 * The objects that an engine wants in addition to a job: services, files, runtimes. cdk8s has to know an object when the tree is built, and a job
 * may change until synth: so whatever the job calls for is added with each change, and what is in the objects is computed at synth.
 */
export class EngineCompanions {
  /** @param render what the job becomes as it stands; undefined while it breaks rules, which synth will report */
  public constructor(
    private readonly scope: Construct, private readonly job: ApiObject, private readonly render: () => EngineObjects | undefined,
  ) {}

  /** Adds what the job calls for by now. */
  public update(): void {
    const objects = this.render();
    if (objects === undefined) {
      return;
    }
    const { labels = {}, annotations = {} } = objects.job.metadata;
    Object.entries(labels).forEach(([name, value]) => this.job.metadata.addLabel(name, value));
    Object.entries(annotations).forEach(([name, value]) => this.job.metadata.addAnnotation(name, value));
    for (const companion of objects.companions) {
      const id = idOf(companion);
      if (this.scope.node.tryFindChild(id) === undefined) {
        this.job.addDependency(this.add(id, companion));
      }
    }
  }

  private add(id: string, { apiVersion, kind, metadata, ...body }: Manifest): ApiObject {
    const { name, namespace, labels, annotations } = metadata;
    const current = () => this.render()?.companions.find((companion) => idOf(companion) === id);
    const lazy = (field: string) => Lazy.any({ produce: () => (current() as { [field: string]: unknown } | undefined)?.[field] });
    return new PlainApiObject(this.scope, id, {
      apiVersion,
      kind,
      metadata: { name, namespace, labels, annotations },
      ...Object.fromEntries(Object.keys(body).map((field) => [field, lazy(field)])),
    });
  }
}

/** Id of the construct of an object. */
export function idOf({ kind, metadata }: Manifest): string {
  return `${kind}-${metadata.name}`;
}
