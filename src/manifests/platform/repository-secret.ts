/**
 * The ExternalSecret of a private repository: for a Secret that Argo CD finds by its label and its URL, or that Flux refers to by name.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/declarative-setup/#repositories
 * @see https://fluxcd.io/flux/components/source/gitrepositories/#secret-reference
 */
import type { PlatformObject } from './platform-object';
import { KEPT_SYNC_OPTIONS, SYNC_OPTIONS_ANNOTATION, SYNC_WAVE_ANNOTATION } from '../../model/argo-cd/annotations';
import type { RemoteSecretSpec } from '../../model/credentials/external-secrets';
import type { RemoteRepositorySecret } from '../../model/platform/repository-credentials';
import { EXTERNAL_SECRET_API_VERSION, constructExternalSecretSpec } from '../credentials/external-secret';

export interface RepositorySecretSpec extends RemoteRepositorySecret {
  readonly name: string;
  readonly namespace: string;
  readonly url: string;
  /** Wave in the root of Argo CD. @default - it is for Flux */
  readonly wave?: number;
}

export function constructRepositorySecret(spec: RepositorySecretSpec): PlatformObject {
  const { name, namespace, url, wave, username = 'git', store } = spec;
  const isArgoCd = wave !== undefined;
  // The keys that both use.
  const [key, hosts] = isArgoCd ? ['sshPrivateKey', 'knownHosts'] : ['identity', 'known_hosts'];
  const remote: { readonly [key: string]: RemoteSecretSpec | undefined } = {
    password: spec.password, [key]: spec.sshPrivateKey, [hosts]: spec.knownHosts,
  };
  const keys = Object.fromEntries(Object.entries(remote).flatMap(([each, secret]) => (secret === undefined ? [] : [[each, secret] as const])));
  const data = {
    ...(isArgoCd && { type: 'git', url }),
    ...(spec.password !== undefined && { username }),
    ...Object.fromEntries(Object.keys(keys).map((each) => [each, `{{ .${each} }}`])),
  };
  const labels = isArgoCd ? { metadata: { labels: { 'argocd.argoproj.io/secret-type': 'repository' } } } : {};
  return {
    apiVersion: EXTERNAL_SECRET_API_VERSION, kind: 'ExternalSecret',
    metadata: {
      name, namespace,
      ...(isArgoCd && { annotations: { [SYNC_WAVE_ANNOTATION]: String(wave), [SYNC_OPTIONS_ANNOTATION]: KEPT_SYNC_OPTIONS } }),
    },
    spec: { ...constructExternalSecretSpec({ store, keys, extract: [], secretName: name }), target: { name, template: { ...labels, data } } },
  };
}
