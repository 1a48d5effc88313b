/** Config maps, secrets and tokens of one namespace, read from the API server when a pod starts, as a kubelet does. */
import { configMapData, secretData, type IssuedToken, type ObjectData, type ObjectSource } from '../process/object-source';
import type { ConfigMap, Secret } from '../../manifests/kubernetes';
import { isApiError } from '../../operator/runtime/http/api-error';
import type { KubeClient } from '../../operator/runtime/kube-client';
import type { KubeObject } from '../../operator/runtime/kube-object';
import { CONFIG_MAPS, SECRETS, type ResourceKind } from '../../operator/runtime/resource-kind';

const SERVICE_ACCOUNTS: ResourceKind = { group: '', version: 'v1', plural: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true };

/** A request for a token, and its answer. */
interface TokenRequest extends KubeObject {
  readonly spec: { readonly audiences?: readonly string[]; readonly expirationSeconds: number };
  readonly status?: { readonly token: string; readonly expirationTimestamp: string };
}

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

  public async serviceAccountToken(serviceAccount: string, audience: string | undefined, expirationSeconds: number): Promise<IssuedToken> {
    const { namespace } = this;
    const request: TokenRequest = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { namespace, name: serviceAccount },
      spec: { ...(audience !== undefined && { audiences: [audience] }), expirationSeconds },
    };
    const ask = () => this.client.create<TokenRequest>(SERVICE_ACCOUNTS, request, { subresource: 'token' });
    const answer = await ask().catch(async (error: unknown) => {
      if (!isApiError(error, 'isNotFound')) {
        throw error;
      }
      await this.makeServiceAccount(serviceAccount);
      return ask();
    });
    const { token, expirationTimestamp } = answer.status!;
    return { token, expiresInSeconds: (Date.parse(expirationTimestamp) - Date.now()) / 1000 };
  }

  /** In a cluster a controller makes the default one, and users the others; nothing here depends on what an account may do. */
  private async makeServiceAccount(name: string): Promise<void> {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: this.namespace, name } };
    await this.client.create<KubeObject>(SERVICE_ACCOUNTS, account).catch((error: unknown) => {
      if (!isApiError(error, 'isAlreadyExists')) {
        throw error;
      }
    });
  }
}
