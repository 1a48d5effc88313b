/** Config maps and secrets of one namespace, read from the API server when a pod starts, as a kubelet does. */
import { configMapData, secretData, type ObjectData, type ObjectSource } from '../process/object-source';
import type { ConfigMap, Secret } from '../../manifests/kubernetes';
import type { KubeClient } from '../../operator/runtime/kube-client';
import type { KubeObject } from '../../operator/runtime/kube-object';
import { CONFIG_MAPS, SECRETS } from '../../operator/runtime/resource-kind';

/** See {@link ObjectSource}. */
export class ApiObjectSource implements ObjectSource {
  public constructor(private readonly client: KubeClient, private readonly namespace: string) {}

  public async configMap(name: string): Promise<ObjectData | undefined> {
    const found = await this.client.tryGet<KubeObject>(CONFIG_MAPS, { namespace: this.namespace, name });
    return found && configMapData(found as ConfigMap);
  }

  public async secret(name: string): Promise<ObjectData | undefined> {
    const found = await this.client.tryGet<KubeObject>(SECRETS, { namespace: this.namespace, name });
    return found && secretData(found as Secret);
  }
}
