/**
 * The objects that an engine wants beside a job: services, files, runtimes. cdk8s has to know an object when the tree is built, and a job may change
 * until synth: so whatever the job calls for is added with each change, and what stands in the objects is computed at synth.
 */
import { ApiObject, Lazy } from 'cdk8s';
import type { Construct } from 'constructs';
import { PlainApiObject } from '../../rendering/plain-api-object';
import type { EngineObjects } from '../../../manifests/engines/engine';
import type { Manifest } from '../../../manifests/kubernetes';

/** See the top of this file. */
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

function idOf({ kind, metadata }: Manifest): string {
  return `${kind}-${metadata.name}`;
}
