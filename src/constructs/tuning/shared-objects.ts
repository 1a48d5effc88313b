/**
 * What all trials of a search share: a service, scripts, a runtime. cdk8s has to know an object when the tree is built, and a search may change until
 * synth: so what it calls for is added with each change, and what stands in the objects is computed at synth.
 */
import { ApiObject, Lazy } from 'cdk8s';
import type { Construct } from 'constructs';
import { PlainApiObject } from '../rendering/plain-api-object';
import type { Manifest } from '../../manifests/kubernetes';

/** See the top of this file. */
export class SharedObjects {
  /** @param render what is called for as the search stands; nothing while it breaks rules, which synth will report */
  public constructor(private readonly scope: Construct, private readonly search: ApiObject, private readonly render: () => readonly Manifest[]) {}

  /** Adds what is called for by now. */
  public update(): void {
    for (const object of this.render()) {
      const id = idOf(object);
      if (this.scope.node.tryFindChild(id) === undefined) {
        this.search.addDependency(this.add(id, object));
      }
    }
  }

  private add(id: string, { apiVersion, kind, metadata: { name, namespace, labels, annotations }, ...body }: Manifest): ApiObject {
    const current = () => this.render().find((object) => idOf(object) === id) as { readonly [field: string]: unknown } | undefined;
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
