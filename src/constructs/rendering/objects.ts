/** Objects of constructs that are made from a manifest, objects without a namespace, and names that have to be short. */
import { ApiObject, JsonPatch, Names, type ApiObjectProps } from 'cdk8s';
import type { Construct } from 'constructs';
import { PlainApiObject } from './plain-api-object';
import type { Manifest } from '../../manifests/kubernetes';

/** Kinds without a namespace, among those that programs are installed with. */
const CLUSTER_SCOPED = ['Namespace', 'CustomResourceDefinition', 'ClusterRole', 'ClusterRoleBinding', 'FlowSchema', 'ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'];

/** Adds an object of the cluster. cdk8s gives every object the chart's namespace, which these must not carry. */
export function clusterObject(scope: Construct, id: string, props: ApiObjectProps & { readonly spec: unknown }): ApiObject {
  const object = new PlainApiObject(scope, id, props);
  if (object.metadata.namespace !== undefined) {
    object.addJsonPatch(JsonPatch.remove('/metadata/namespace'));
  }
  return object;
}

/** Adds an object to a construct. */
export function addManifest(scope: Construct, id: string, manifest: Manifest): ApiObject {
  const props = manifest as ConstructorParameters<typeof PlainApiObject>[2] & { readonly spec: unknown };
  return CLUSTER_SCOPED.includes(manifest.kind) ? clusterObject(scope, id, props) : new PlainApiObject(scope, id, props);
}

/**
 * The name that the chart gives the object of a construct, or a shorter one where what its controller derives from it would not fit.
 * @param longest characters up to which the chart's name is taken
 * @param shortened characters of the other name
 */
export function generatedName(
  scope: Construct, { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }, longest: number, shortened = longest,
): string {
  // Charts name ApiObjects, so one has to exist to ask for its name.
  const { name } = new ApiObject(scope, 'Resource', { apiVersion, kind });
  scope.node.tryRemoveChild('Resource');
  return name.length <= longest ? name : Names.toDnsLabel(scope, { maxLen: shortened });
}
