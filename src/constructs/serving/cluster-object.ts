/** Objects without a namespace. cdk8s gives every object the chart's, which these must not carry. */
import { ApiObject, JsonPatch, type ApiObjectProps } from 'cdk8s';
import type { Construct } from 'constructs';
import { PlainApiObject } from '../rendering/plain-api-object';
import { ProgramChecks } from '../checks/program-checks';

/** Adds an object of the cluster. */
export function clusterObject(scope: Construct, id: string, props: ApiObjectProps & { readonly spec: unknown }): ApiObject {
  const object = new PlainApiObject(scope, id, props);
  ProgramChecks.of(object);
  if (object.metadata.namespace !== undefined) {
    object.addJsonPatch(JsonPatch.remove('/metadata/namespace'));
  }
  return object;
}
