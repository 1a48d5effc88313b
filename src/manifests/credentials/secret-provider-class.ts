/** SecretProviderClass of the Secrets Store CSI driver, for Google's Secret Manager: by GKE's add-on, or by the open-source driver and provider. */
import { plainObject } from '../plain-object';
import type { ManagedSecretSpec, SecretDriver, SecretProviderClassSpec } from '../../model/credentials/external-secrets';

/** `apiVersion` of the kind. */
export const SECRET_PROVIDER_CLASS_API_VERSION = 'secrets-store.csi.x-k8s.io/v1';

/**
 * CSI drivers by how they were installed.
 * @see https://cloud.google.com/secret-manager/docs/secret-manager-managed-csi-component
 */
export const SECRET_DRIVERS: { readonly [driver in SecretDriver]: { readonly csiDriver: string; readonly provider: string } } = {
  'gke': { csiDriver: 'secrets-store-gke.csi.k8s.io', provider: 'gke' },
  'open-source': { csiDriver: 'secrets-store.csi.k8s.io', provider: 'gcp' },
};

export function constructSecretProviderClassSpec({ driver, files, secretName }: SecretProviderClassSpec): object {
  return plainObject({
    provider: SECRET_DRIVERS[driver].provider,
    parameters: { secrets: Object.entries(files).map(([file, secret]) => entry(file, secret)).join('') },
    secretObjects: secretName === undefined ? undefined : [
      { secretName, type: 'Opaque', data: Object.keys(files).map((file) => ({ objectName: file, key: file })) },
    ],
  });
}

/** The provider reads a YAML list from a text. A JSON string is always valid YAML. */
function entry(file: string, secret: ManagedSecretSpec): string {
  return `- resourceName: ${JSON.stringify(resourceName(secret))}\n  path: ${JSON.stringify(file)}\n`;
}

function resourceName({ project, location, name, version }: ManagedSecretSpec): string {
  const parent = location === undefined ? `projects/${project}` : `projects/${project}/locations/${location}`;
  return `${parent}/secrets/${name}/versions/${version}`;
}
