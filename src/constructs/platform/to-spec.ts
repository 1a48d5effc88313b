/** Converts the properties of a platform, with its preset, to plain data. */
import type { Delivery } from './delivery';
import { IdentityProvider } from './identity-provider';
import { ServiceMesh, type KubeflowPlatformProps } from './platform-props';
import { chooseComponents } from '../../model/platform/choose';
import { validateRepositorySecret } from '../../model/platform/repository-credentials';
import type { PlatformSpec } from '../../model/platform/spec';
import type { GivenOptions } from '../../model/platform/validation';
import { findUndeclaredTokens } from '../../model/secrets/find-tokens';
import { ViolationCollector, type Violation } from '../../model/violations';

/** A platform as plain data. */
export interface PlatformInput {
  readonly spec: PlatformSpec;
  /** Options that the program sets. */
  readonly given: GivenOptions;
  /** Violations in the choice of components. */
  readonly violations: readonly Violation[];
}

/** Converts properties. */
export function toPlatformSpec(props: KubeflowPlatformProps): PlatformInput {
  const { environment, preset, artifactStore, database, domain, kubernetesVersion } = props;
  const identity = (props.identity ?? IdentityProvider.dex())._toSpec();
  const existing = (props.existing ?? []).map(({ name, version }) => ({ name, ...(version !== undefined && { version }) }));
  const { components, violations } = chooseComponents({
    environment, preset, existing,
    identity: identity.kind,
    mesh: props.mesh ?? ServiceMesh.ISTIO,
    components: (props.components ?? []).map((component) => component._toSpec()),
    without: props.without ?? [],
  });
  const options = { artifactStore, database, identity: props.identity, domain };
  return {
    violations,
    given: new Set((Object.keys(options) as (keyof typeof options)[]).filter((option) => options[option] !== undefined)),
    spec: {
      environment, kubernetesVersion, components, existing, identity,
      artifactStore: artifactStore?._toSpec() ?? { kind: 'in-cluster' },
      database: database?._toSpec() ?? { kind: 'in-cluster' },
      ...(domain !== undefined && { domain: { host: domain.host, tls: domain.tls._toSpec() } }),
      resourceCustomizations: props.delivery._argoCd?.resourceCustomizations,
    },
  };
}

/** Secrets in the program's own values, patches, connectors and repository. */
export function platformTokens({ components, identity }: PlatformSpec, { _argoCd, _flux }: Delivery): Violation[] {
  return [
    ...components.flatMap(({ name, values, rawValues, patches }) => [
      ...[...Object.values(values ?? {}), ...Object.values(rawValues ?? {})].flatMap((one) => findUndeclaredTokens(one, `components.${name}.values`)),
      ...findUndeclaredTokens(patches, `components.${name}.patches`),
    ]),
    ...findUndeclaredTokens(identity, 'identity'),
    ...findUndeclaredTokens((_argoCd ?? _flux)?.repository, 'delivery.repository'),
  ];
}

/** Violations of a delivery. */
export function checkDelivery({ _argoCd, _flux }: Delivery): Violation[] {
  const violations = new ViolationCollector();
  const repository = _argoCd ?? _flux;
  if (repository !== undefined && !/^(https?|ssh|git|file):\/\/\S+$|^[^@\s]+@[^:\s]+:\S+$/.test(repository.repository)) {
    violations.add('delivery.repository', repository.repository, 'must be the URL of a Git repository, such as https://github.com/example/platform.git.');
  }
  if (repository?.path?.split('/').includes('..') ?? false) {
    violations.add('delivery.path', repository!.path, 'must be a folder of the repository, without ...');
  }
  const remote = repository?.credentials?._external;
  const ofCredentials = remote === undefined ? [] : validateRepositorySecret('delivery.credentials', repository!.repository, remote, _argoCd === undefined ? 'flux' : 'argo-cd');
  const count = (field: string, value: number | undefined, least: number) => {
    if (value !== undefined && !(Number.isInteger(value) && value >= least)) {
      violations.add(`delivery.${field}`, value, `must be a whole number, ${least} or more.`);
    }
  };
  count('retryLimit', _argoCd?.retryLimit, 0);
  count('retries', _flux?.retries, 0);
  for (const [field, duration] of [['interval', _flux?.interval], ['timeout', _flux?.timeout]] as const) {
    const seconds = (duration?.toMilliseconds() ?? 60_000) / 1000;
    if (!Number.isInteger(seconds) || seconds < 1) {
      violations.add(`delivery.${field}`, `${seconds}s`, 'must be whole seconds, 1 or more.');
    }
  }
  return [...violations.violations, ...ofCredentials];
}
