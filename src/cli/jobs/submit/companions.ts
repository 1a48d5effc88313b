import { CliError } from '../../cli-error';
import { Discovery } from '../../diff/discovery';
import { compareWithCluster } from '../../diff/live';
import type { ManifestObject } from '../../../model/objects/manifest-object';
import type { KubeClient } from '../../../operator/runtime/kube-client';
import type { KubeObject } from '../../../operator/runtime/kube-object';

/**
 * Creates the objects that a job needs. Existing ones are never changed.
 * @param note called with a message for each object that is created or skipped
 * @throws CliError when an existing object is different, or the cluster refuses one
 */
export async function createMissing(
  client: KubeClient, namespace: string, objects: readonly ManifestObject[], note: (sentence: string) => void,
): Promise<void> {
  const discovery = new Discovery(client);
  const resources = await Promise.all(objects.map(async (object) => (
    { object, kind: await discovery.resourceOf(object.apiVersion!, object.kind!) })));
  // An administrator applies cluster-scoped objects.
  const own = resources.filter(({ kind }) => kind?.namespaced !== false);
  resources.filter(({ kind }) => kind?.namespaced === false).forEach(({ object }) => note(`${titleOf(object)} is cluster-scoped, so it is not created with the job`));
  const { changes } = await compareWithCluster(client, own.map(({ object }) => object), { namespace, earlier: [] });
  const refused = changes.flatMap((change) => (change.kind === 'refused' ? [`  ${change.title}: ${change.why}`] : []));
  const different = changes.flatMap((change) => (change.kind === 'changed' ? [`  ${change.title}`] : []));
  if (refused.length > 0) {
    throw new CliError(`Nothing was created, because the cluster refuses:\n${refused.join('\n')}`);
  }
  if (different.length > 0) {
    throw new CliError(`Nothing was created, because these objects exist and are different:\n${different.join('\n')}\nSee the differences with trainyard diff --live; apply them with kubectl apply, or leave them out.`);
  }
  for (const { object, kind } of own) {
    const inNamespace = { ...object, metadata: { ...object.metadata, namespace: object.metadata?.namespace ?? namespace } } as KubeObject;
    if (await client.tryGet(kind!, { namespace: inNamespace.metadata!.namespace, name: inNamespace.metadata!.name! }) === undefined) {
      await client.create(kind!, inNamespace, { fieldManager: 'trainyard', fieldValidation: 'Strict' });
      note(`${titleOf(object)} is created`);
    }
  }
}

function titleOf({ kind, metadata }: ManifestObject): string {
  return `${kind} ${metadata?.name}`;
}
