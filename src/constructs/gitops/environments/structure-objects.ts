/** What an environment's app declares, as far as its structure goes. Nothing is rendered for it. */
import { ApiObject, type App } from 'cdk8s';
import type { IConstruct } from 'constructs';
import type { StructureObject } from '../../../model/environments/structure';

/** Key of the reason among a construct's metadata. */
const ONLY_HERE = 'trainyard:only-in-this-environment';

/** Notes why a construct is not in all environments. */
export function markOnlyHere(construct: IConstruct, reason: string): void {
  construct.node.addMetadata(ONLY_HERE, reason);
}

/** All objects of an app. */
export function declaredObjects(app: App): StructureObject[] {
  return app.node.findAll().filter((construct): construct is ApiObject => ApiObject.isApiObject(construct)).map((object) => ({
    apiVersion: object.apiVersion, kind: object.kind, namespace: object.metadata.namespace, name: object.name,
    construct: object.node.path, reason: reasonOf(object),
  }));
}

/** The reason of the object itself, or of what it stands in. */
function reasonOf(object: ApiObject): string | undefined {
  const marks = [...object.node.scopes].reverse().flatMap(({ node }) => node.metadata.filter(({ type }) => type === ONLY_HERE));
  return marks[0]?.data as string | undefined;
}
