/** ExternalSecret of External Secrets, version 1 of its API. */
import { plainObject } from '../plain-object';
import type { ExternalSecretSpec, RemoteSecretSpec } from '../../model/credentials/external-secrets';

/** `apiVersion` of the kind. */
export const EXTERNAL_SECRET_API_VERSION = 'external-secrets.io/v1';

/** Renders the spec. Defaults of the definition are left out. */
export function constructExternalSecretSpec({ store, keys, extract, secretName, refreshSeconds }: ExternalSecretSpec): object {
  const data = Object.entries(keys).map(([secretKey, remote]) => ({ secretKey, remoteRef: remoteRef(remote) }));
  return plainObject({
    secretStoreRef: { kind: store.kind, name: store.name },
    refreshInterval: refreshSeconds === undefined ? undefined : `${refreshSeconds}s`,
    target: { name: secretName },
    data: data.length > 0 ? data : undefined,
    dataFrom: extract.length > 0 ? extract.map((remote) => ({ extract: remoteRef(remote) })) : undefined,
  });
}

function remoteRef({ name, property, version }: RemoteSecretSpec): object {
  return { key: name, property, version };
}
