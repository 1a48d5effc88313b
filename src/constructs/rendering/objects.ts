/** Objects from manifests, cluster-scoped objects, and short names. */
import { ApiObject, JsonPatch, Names, type ApiObjectProps } from 'cdk8s';
import type { Construct, IConstruct } from 'constructs';
import { PlainApiObject } from './plain-api-object';
import type { Manifest } from '../../manifests/kubernetes';

/** Cluster-scoped kinds in the installations of our programs. */
const CLUSTER_SCOPED = ['Namespace', 'CustomResourceDefinition', 'ClusterRole', 'ClusterRoleBinding', 'FlowSchema', 'ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'];

/** All objects below a construct. */
export function apiObjectsIn(construct: IConstruct): ApiObject[] {
  return construct.node.findAll().filter((each): each is ApiObject => ApiObject.isApiObject(each));
}

/** Adds a cluster-scoped object, without the chart's namespace that cdk8s gives to every object. */
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

/** Adds an object with an id from its kind, namespace and name. */
export function addNamed(scope: Construct, manifest: Manifest): ApiObject {
  const { kind, metadata: { namespace, name } } = manifest;
  return addManifest(scope, [kind, namespace, name].filter((part) => part !== undefined).join('-'), manifest);
}

/**
 * The name that the chart gives the object of a construct, or a shorter one if names that its controller derives from it would be too long.
 * @param longest maximum length of the chart's name
 * @param shortened maximum length of the shorter name
 */
export function generatedName(
  scope: Construct, { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }, longest: number, shortened = longest,
): string {
  // Charts only name existing ApiObjects.
  const { name } = new ApiObject(scope, 'Resource', { apiVersion, kind });
  scope.node.tryRemoveChild('Resource');
  return name.length <= longest ? name : Names.toDnsLabel(scope, { maxLen: shortened });
}
