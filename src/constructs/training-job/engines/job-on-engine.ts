/**
 * A job as its engine sees it: its violations, and the objects that it becomes. cdk8s validates once for the app and again for each of its charts.
 * Rules and renderers depend only on the job, so their results are cached until the job changes, and what was checked is what is rendered.
 */
import { ApiObject, Lazy } from 'cdk8s';
import type { Construct } from 'constructs';
import { PlainApiObject } from '../../rendering/plain-api-object';
import type { EngineDefinition, EngineJob, EngineObjects } from '../../../manifests/engines/engine';
import type { Manifest } from '../../../manifests/kubernetes';
import type { Violation } from '../../../model/violations';

/** Cached results for a job. */
interface Answers {
  readonly job: EngineJob;
  problems?: readonly Violation[];
  objects?: EngineObjects;
}

/** See the top of this file. */
export class JobOnEngine {
  private answers?: Answers;

  /**
   * @param read returns the job: the same one until {@link changed} is called
   * @param check returns its violations
   */
  public constructor(
    private readonly engine: EngineDefinition,
    private readonly read: () => EngineJob,
    private readonly check: (job: EngineJob) => readonly Violation[],
  ) {}

  /** Call this when the job has changed. */
  public changed(): void {
    this.answers = undefined;
  }

  /** The job in its current state. */
  public job(): EngineJob {
    return this.current().job;
  }

  /** Violations of the job; empty if the engine can run it as written. */
  public problems(): readonly Violation[] {
    const answers = this.current();
    return answers.problems ??= this.check(answers.job);
  }

  /** The rendered objects; undefined while the job has violations. */
  public tryObjects(): EngineObjects | undefined {
    return this.problems().length > 0 ? undefined : this.objects();
  }

  /** The rendered objects of a job without violations. */
  public objects(): EngineObjects {
    const answers = this.current();
    return answers.objects ??= this.engine.render(answers.job);
  }

  private current(): Answers {
    return this.answers ??= { job: this.read() };
  }
}

/**
 * The objects that a job or a search needs in addition to its own: services, files, runtimes. cdk8s needs each object when the tree is built, but the
 * owner may change until synth: each change therefore adds the missing objects, and their content is computed at synth.
 */
export class Companions {
  /** @param render returns the objects that the owner needs now; none while it has violations, which synth reports */
  public constructor(private readonly scope: Construct, private readonly owner: ApiObject, private readonly render: () => readonly Manifest[]) {}

  /** Adds the objects that the owner needs now. */
  public update(): void {
    for (const companion of this.render()) {
      const id = idOf(companion);
      if (this.scope.node.tryFindChild(id) === undefined) {
        this.owner.addDependency(this.add(id, companion));
      }
    }
  }

  private add(id: string, { apiVersion, kind, metadata: { name, namespace, labels, annotations }, ...body }: Manifest): ApiObject {
    const current = () => this.render().find((companion) => idOf(companion) === id) as { readonly [field: string]: unknown } | undefined;
    return new PlainApiObject(this.scope, id, {
      apiVersion,
      kind,
      metadata: { name, namespace, labels, annotations },
      ...Object.fromEntries(Object.keys(body).map((field) => [field, Lazy.any({ produce: () => current()?.[field] })])),
    });
  }
}

function idOf({ kind, metadata }: Manifest): string {
  return `${kind}-${metadata.name}`;
}
