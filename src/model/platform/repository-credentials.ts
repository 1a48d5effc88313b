/** How a private repository is read, and what has to be given for which URL. */
import { ViolationCollector, type Violation } from '../violations';
import type { RemoteSecretSpec, SecretStoreSpec } from '../credentials/external-secrets';

/** Secrets of a store that a repository is read by. */
export interface RemoteRepositorySecret {
  readonly store: SecretStoreSpec;
  readonly username?: string;
  readonly password?: RemoteSecretSpec;
  readonly sshPrivateKey?: RemoteSecretSpec;
  readonly knownHosts?: RemoteSecretSpec;
}

/** What does not fit the URL. @param path of the property, `delivery.credentials` */
export function validateRepositorySecret(path: string, url: string, remote: RemoteRepositorySecret, who: 'argo-cd' | 'flux'): Violation[] {
  const violations = new ViolationCollector();
  const isHttp = /^https?:/.test(url);
  const [needed, other] = isHttp ? ['password', 'sshPrivateKey'] as const : ['sshPrivateKey', 'password'] as const;
  if (remote[needed] === undefined) {
    violations.add(`${path}.${needed}`, undefined, `is required, because ${url} is read over ${isHttp ? 'HTTPS' : 'SSH'}.`);
  }
  if (remote[other] !== undefined) {
    violations.add(`${path}.${other}`, remote[other].name, `is not used for ${url}, which is read over ${isHttp ? 'HTTPS' : 'SSH'}. Remove it.`);
  }
  if (remote.knownHosts !== undefined && who === 'argo-cd') {
    violations.add(`${path}.knownHosts`, remote.knownHosts.name, 'is not read by Argo CD. Add the keys to its ConfigMap argocd-ssh-known-hosts-cm.');
  }
  if (remote.knownHosts === undefined && who === 'flux' && !isHttp) {
    violations.add(`${path}.knownHosts`, undefined, `is required: Flux reads ${url} over SSH only from hosts with known keys.`);
  }
  return violations.violations;
}
