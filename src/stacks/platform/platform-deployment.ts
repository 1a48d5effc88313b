/**
 * Deploys components of the catalogue: Helm charts, kustomizations and objects, in the order of their dependencies.
 *
 * Fields that controllers write into objects of a platform are ignored, because Pulumi would reset them with every update.
 *
 * Pulumi's provider reads kustomizations from folders: each folder has the folder of the catalogue as its only resource, and patches for it. The
 * folders are in a temporary folder, which is deleted when the process exits.
 */
import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import * as state from '@pulumi/pulumi/runtime/state';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { choosePlatform, type PlatformDeploymentArgs, type PlatformSecret } from './platform-args';
import { withPlaceholders, type WithPlaceholders } from './placeholders';
import { ChartDeployment } from '../charts/chart-deployment';
import { fillPlaceholders } from '../node-pool/placeholders';
import { throwErrors } from '../support/validated';
import { programNamespaces } from '../../manifests/platform/delivery';
import type { PlannedChart, PlannedComponent, PlannedKustomization, PlannedPart } from '../../manifests/platform/plan';
import type { OwnedFields } from '../../model/catalogue/types';

/** A component with its parts. Resources that depend on the component wait for all parts. */
class PlatformComponent extends pulumi.ComponentResource {
  public constructor(name: string, opts: pulumi.ComponentResourceOptions) {
    super('trainyard:stacks:PlatformComponent', name, {}, opts);
  }
}

/** Namespaces that exist in every cluster. */
const OWN_NAMESPACES = ['default', 'kube-system'];

/**
 * A platform of compatible components, with the versions of the catalogue. Names of buckets, instances and hosts can be outputs.
 *
 * Kustomizations are read from Git while the program runs, so `git` must be installed. Charts are read from their registries.
 */
export class PlatformDeployment extends pulumi.ComponentResource {
  /** Components by name, in the order in which they are applied; for `dependsOn`. */
  public readonly components: ReadonlyMap<string, pulumi.ComponentResource>;
  private readonly secrets: readonly PlatformSecret[];
  private readonly namespacesMade = new Set<string>(OWN_NAMESPACES);
  private readonly secretsMade = new Set<PlatformSecret>();

  /**
   * @param name name in the program
   * @param args the components and their options
   * @param opts Pulumi options; `provider` sets the cluster, `dependsOn` the resources that all components are created after
   * @throws InvalidArgsError with all errors
   */
  public constructor(name: string, args: PlatformDeploymentArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = { type: 'PlatformDeployment', name };
    const { charts = {}, secrets = [], ...options } = args;
    const placeholders = withPlaceholders<PlatformDeploymentArgs>(options);
    throwErrors(subject, placeholders.violations);
    const { plan, found } = choosePlatform({ ...placeholders.plain, charts, secrets });
    throwErrors(subject, found);
    super('trainyard:stacks:PlatformDeployment', name, {}, opts);
    this.secrets = secrets;
    const { dependsOn = [] } = opts ?? {};
    const outer = Array.isArray(dependsOn) ? dependsOn : [dependsOn as pulumi.Input<pulumi.Resource>];
    // Resources that use an output wait until the resolved options pass the rules.
    const kept = (pulumi.output(options) as pulumi.Output<unknown>).apply((resolved) => {
      if (placeholders.outputs.size > 0) {
        throwErrors(subject, choosePlatform({ ...resolved as PlatformDeploymentArgs, charts, secrets }).found.filter(({ severity }) => severity !== 'warning'));
      }
    });
    const outputs = [...placeholders.outputs].map(([text, output]) => [text, pulumi.all([output, kept]).apply(([value]) => value)] as const);
    const through: WithPlaceholders<unknown> = { ...placeholders, outputs: new Map(outputs) };
    const components = new Map<string, PlatformComponent>();
    for (const planned of plan.components) {
      const component = new PlatformComponent(`${name}-${planned.name}`, { parent: this });
      components.set(planned.name, component);
      this.deploy(`${name}-${planned.name}`, planned, through, charts[planned.name] ?? [], {
        parent: component, dependsOn: [...outer, ...planned.after.map((other) => components.get(other)!)],
      });
    }
    this.components = components;
    this.registerOutputs({ components: [...components.keys()] });
  }

  private deploy(name: string, planned: PlannedComponent, placeholders: WithPlaceholders<unknown>, chart: NonNullable<PlatformDeploymentArgs['charts']>[string], opts: PartOptions): void {
    const { parent, dependsOn } = opts;
    const before: pulumi.Input<pulumi.Resource>[] = [...dependsOn];
    // A kustomization includes its namespace, so Secrets are created after it, and its pods wait for them.
    const bringsNamespace = planned.parts.some(({ kind }) => kind === 'git') && !this.namespacesMade.has(planned.namespace);
    const waitsForSecrets = bringsNamespace && this.secrets.some(({ namespace }) => namespace === planned.namespace);
    for (const part of planned.parts) {
      if (part.kind === 'helm' && !this.namespacesMade.has(part.namespace)) {
        before.push(this.namespace(name, part.namespace, { parent, dependsOn: [...before] }));
      }
      before.push(...this.readySecrets(name, [...this.namespacesMade], { parent, dependsOn: [...before] }));
      before.push(this.part(`${name}-${part.name}`, part, planned, placeholders, chart, waitsForSecrets, { parent, dependsOn: [...before] }));
      programNamespaces(part).forEach((namespace) => this.namespacesMade.add(namespace));
    }
    if (planned.parts.some(({ kind }) => kind === 'git')) {
      planned.namespaces.forEach((namespace) => this.namespacesMade.add(namespace));
      this.readySecrets(name, planned.namespaces, { parent, dependsOn: before });
    }
  }

  private part(
    name: string, part: PlannedPart, { owned }: PlannedComponent, placeholders: WithPlaceholders<unknown>, chart: NonNullable<PlatformDeploymentArgs['charts']>[string], skipAwait: boolean, opts: PartOptions,
  ): pulumi.Resource {
    const fill = <T>(value: T): T => fillPlaceholders(value, placeholders, (output) => output);
    const transforms = transformsFor(owned);
    switch (part.kind) {
      case 'helm':
        return new kubernetes.helm.v4.Chart(name, {
          ...chartInputs(part), values: fill(part.values) as pulumi.Inputs, skipAwait,
        }, { ...opts, transforms });
      case 'git':
        return new kubernetes.kustomize.v2.Directory(name, { directory: folderOf(name, part, fill), skipAwait }, { ...opts, transforms });
      case 'program':
        return new ChartDeployment(name, { chart: part.objects === undefined ? chart : fill(part.objects) }, opts);
    }
  }

  /** The namespace of a chart, which Helm does not create. */
  private namespace(name: string, namespace: string, opts: PartOptions): pulumi.Resource {
    this.namespacesMade.add(namespace);
    return new kubernetes.core.v1.Namespace(`${name}-namespace-${namespace}`, { metadata: { name: namespace } }, opts);
  }

  /** Secrets whose namespace now exists, each once. */
  private readySecrets(name: string, namespaces: readonly string[], opts: PartOptions): pulumi.Resource[] {
    const ready = this.secrets.filter((secret) => namespaces.includes(secret.namespace) && !this.secretsMade.has(secret));
    return ready.map((secret) => {
      this.secretsMade.add(secret);
      const { namespace, data } = secret;
      return new kubernetes.core.v1.Secret(`${name}-secret-${namespace}-${secret.name}`, { metadata: { name: secret.name, namespace }, stringData: data }, {
        ...opts, additionalSecretOutputs: ['data', 'stringData'],
      });
    });
  }
}

/** Where a part is, and what it comes after. */
interface PartOptions {
  readonly parent: pulumi.Resource;
  readonly dependsOn: pulumi.Input<pulumi.Resource>[];
}

function chartInputs({ name, source, namespace }: PlannedChart): kubernetes.helm.v4.ChartArgs {
  const { repository, chart, version } = source;
  return repository.startsWith('oci://')
    ? { name, namespace, version, chart: `${repository.replace(/\/$/, '')}/${chart}` }
    : { name, namespace, version, chart, repositoryOpts: { repo: repository } };
}

/** The folder of a kustomization, written when all its names are known. */
function folderOf(name: string, part: PlannedKustomization, fill: (value: PlannedKustomization) => PlannedKustomization): pulumi.Output<string> {
  return (pulumi.output(fill(part)) as pulumi.Output<unknown>).apply((filled) => writeKustomization(name, filled as PlannedKustomization));
}

/** An object, as the provider registers it. */
interface AppliedObject {
  /** Such as `kubernetes:apps/v1:Deployment`. */
  readonly type: string;
  /** `metadata.name`. */
  readonly name?: string;
}

/** Paths of an object that other programs own, in the format of `ignoreChanges`. */
export function ignoredPaths({ type, name }: AppliedObject, owned: readonly OwnedFields[]): string[] {
  const [group, kind] = groupAndKind(type);
  return owned
    .filter((fields) => fields.kind === kind && fields.group === group && (fields.name === undefined || fields.name === name))
    .flatMap(({ pointers = [], jqPaths = [] }) => [...pointers.map(pathOfPointer), ...jqPaths.map(pathOfJq)]);
}

/** Ignores changes of fields that other programs own, in all objects of a chart or a kustomization. */
export function ignoreOwned(owned: readonly OwnedFields[]): pulumi.ResourceTransform {
  return ({ type, props, opts }) => {
    const metadata = (props as { readonly metadata?: { readonly name?: string } }).metadata;
    const paths = ignoredPaths({ type, name: metadata?.name }, owned);
    return paths.length === 0 ? undefined : { props, opts: { ...opts, ignoreChanges: [...opts.ignoreChanges ?? [], ...paths] } };
  };
}

/** The part of Pulumi's runtime that knows the engine. It is not in its types. */
const { getStore } = state as unknown as { getStore(): { readonly supportsTransforms: boolean } };

/** The transforms of a component; none with Pulumi's mocks, which reject resources with transforms. */
function transformsFor(owned: readonly OwnedFields[]): pulumi.ResourceTransform[] | undefined {
  return owned.length > 0 && getStore().supportsTransforms ? [ignoreOwned(owned)] : undefined;
}

/** Group and kind of `kubernetes:GROUP/VERSION:KIND`; the core group is empty. */
function groupAndKind(type: string): readonly [group: string, kind: string] {
  const [, version = '', kind = ''] = type.split(':');
  const group = version.includes('/') ? version.slice(0, version.lastIndexOf('/')) : '';
  return [group === 'core' ? '' : group, kind];
}

/** `/spec/replicas` as `spec.replicas`. */
function pathOfPointer(pointer: string): string {
  return pointer.slice(1).split('/').map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : /^[\w-]+$/.test(part) ? `${path}${path === '' ? '' : '.'}${part}` : `${path}["${part}"]`), '');
}

/** `.webhooks[]?.clientConfig.caBundle` as `webhooks[*].clientConfig.caBundle`. */
function pathOfJq(expression: string): string {
  return expression.replace(/^\./, '').replace(/\[\]\??/g, '[*]');
}

let root: string | undefined;

/** Writes the folder of a kustomization. @returns its path */
function writeKustomization(name: string, part: PlannedKustomization): string {
  if (root === undefined) {
    const created = mkdtempSync(path.join(tmpdir(), 'trainyard-kustomize-'));
    root = created;
    process.on('exit', () => rmSync(created, { recursive: true, force: true }));
  }
  const folder = path.join(root, name);
  mkdirSync(folder, { recursive: true });
  // JSON is YAML.
  writeFileSync(path.join(folder, 'kustomization.yaml'), `${JSON.stringify(kustomizationOf(part), undefined, 2)}\n`);
  return folder;
}

/** The file. @see https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/ */
export function kustomizationOf({ source, patches }: PlannedKustomization): object {
  const { repository, path: folder, revision } = source;
  return {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [`${repository}//${folder}?ref=${revision}`],
    ...(patches.length > 0 && {
      patches: patches.map(({ target, patch }) => ({ ...(target !== undefined && { target }), patch: JSON.stringify(patch) })),
    }),
  };
}
