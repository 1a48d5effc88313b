/** What has to be there for a job: created where it is missing, and never changed. */
import { CliError } from '../../cli-error';
import { Discovery } from '../../diff/discovery';
import { compareWithCluster } from '../../diff/live';
import type { ManifestObject } from '../../../model/objects/manifest-object';
import type { KubeClient } from '../../../operator/runtime/kube-client';
import type { KubeObject } from '../../../operator/runtime/kube-object';

/**
 * Creates objects that are missing.
 * @param told called with a message for each object that is created or skipped
 * @throws CliError where one is there and says something else, or is refused
 */
export async function createMissing(
  client: KubeClient, namespace: string, objects: readonly ManifestObject[], told: (sentence: string) => void,
): Promise<void> {
  const discovery = new Discovery(client);
  const resources = await Promise.all(objects.map(async (object) => (
    { object, kind: await discovery.resourceOf(object.apiVersion!, object.kind!) })));
  // Cluster-scoped objects are an administrator's to apply.
  const own = resources.filter(({ kind }) => kind?.namespaced !== false);
  resources.filter(({ kind }) => kind?.namespaced === false).forEach(({ object }) => told(`${titleOf(object)} is cluster-scoped, so it is not created with the job`));
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
      told(`${titleOf(object)} is created`);
    }
  }
}

function titleOf({ kind, metadata }: ManifestObject): string {
  return `${kind} ${metadata?.name}`;
}
