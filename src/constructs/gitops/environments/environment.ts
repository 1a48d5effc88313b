import { ApiObject, App, Chart, type ChartProps, type YamlOutputType } from 'cdk8s';
import type { IConstruct } from 'constructs';
import { apiObjectsIn } from '../../rendering/objects';
import type { EnvironmentSize } from './environment-props';
import type { EnvironmentInput } from './to-spec';
import { Delivery, type ArgoCdDeliveryOptions, type FluxDeliveryOptions } from '../../platform/delivery';
import { OUTPUT_FOLDER } from '../../platform/output-files';
import type { TeamQuota } from '../../platform/tenancy/team-props';
import type { EnvironmentSpec } from '../../../model/environments/settings';
import type { EnvironmentStructure, StructureObject } from '../../../model/environments/structure';
import { trimmedEnd } from '../../../model/text/trim';
import { didYouMean } from '../../../model/violations';

/** Label of the objects in an environment's charts. */
const ENVIRONMENT_LABEL = 'trainyard.dev/environment';

/** Where an environment is written, and the check before that. */
interface EnvironmentOutput {
  readonly outdir: string;
  readonly yamlOutputType?: YamlOutputType;
  /** Throws if the structure of the environments differs. */
  readonly check: () => void;
}

/**
 * One environment of a program: an app that writes its files to a folder with its name. Created by `Environments`.
 * @example
 * import { Environments } from 'trainyard/gitops';
 * import { Team } from 'trainyard/platform';
 *
 * const environments = new Environments({ environments: [{ name: 'dev' }] });
 * const environment = environments.environment('dev');
 * new Team(environment.chart('vision'), 'Vision', { name: environment.namespace('vision') });
 * environments.synth();
 */
export class Environment extends App {
  /** @internal */
  public static _of(input: EnvironmentInput, output: EnvironmentOutput): Environment {
    return new Environment(input, output);
  }

  /** Name of the environment, and of its folder. */
  public readonly name: string;

  /** API server of its cluster; undefined for the cluster of Argo CD. */
  public readonly server?: string;

  /** Branch, tag or commit that is delivered; undefined for the delivery's. */
  public readonly revision?: string;

  /** Environment from which versions and images are promoted; undefined for the first one. */
  public readonly promotedFrom?: string;

  /** @internal */
  public readonly _spec: EnvironmentSpec;

  /** Settings that the program has read, such as `versions.kueue`. @internal */
  public readonly _used = new Set<string>();

  private readonly sizes: { readonly [name: string]: EnvironmentSize };
  private readonly quotas: { readonly [team: string]: TeamQuota };

  private constructor({ spec, props }: EnvironmentInput, private readonly output: EnvironmentOutput) {
    super({ outdir: output.outdir, ...(output.yamlOutputType !== undefined && { yamlOutputType: output.yamlOutputType }) });
    this._spec = spec;
    this.name = spec.name;
    this.server = spec.server;
    this.revision = spec.revision;
    this.promotedFrom = spec.from;
    this.sizes = props.sizes ?? {};
    this.quotas = props.quotas ?? {};
  }

  /**
   * A chart of the environment, whose objects have its name as a label (`trainyard.dev/environment`).
   * @param id name of the chart, and of its file
   */
  public chart(id: string, props: ChartProps = {}): Chart {
    return new Chart(this, id, { ...props, labels: { ...props.labels, [ENVIRONMENT_LABEL]: this.name } });
  }

  /** Name of a namespace in this environment, with the prefix. */
  public namespace(name: string): string {
    return `${this._spec.namespacePrefix}${name}`;
  }

  /** Version of a component in this environment. @throws Error if the environments have none with this name */
  public version(component: string): string {
    return this.setting('versions', component, this._spec.versions);
  }

  /** Image in this environment. @throws Error if the environments have none with this name */
  public image(name: string): string {
    return this.setting('images', name, this._spec.images);
  }

  /** Size in this environment. @throws Error if the environments have none with this name */
  public size(name: string): EnvironmentSize {
    return this.setting('sizes', name, this.sizes);
  }

  /** Quota of a team in this environment. @throws Error if the environments have none with this name */
  public quota(team: string): TeamQuota {
    return this.setting('quotas', team, this.quotas);
  }

  /**
   * Allows a construct, and everything below it, to be missing in other environments.
   * @param construct construct that is not in all environments; call this in each environment that has it
   * @param reason reason, not empty
   */
  public onlyHere(construct: IConstruct, reason: string): void {
    if (App.of(construct) !== this) {
      throw new Error(`Environment '${this.name}': onlyHere is for constructs of this environment, and '${construct.node.path}' is in another app.`);
    }
    if (reason.trim() === '') {
      throw new Error(`Environment '${this.name}': '${construct.node.path}' needs a reason for being only here. Add one.`);
    }
    construct.node.addMetadata(ONLY_HERE, reason);
  }

  /**
   * Argo CD for a platform of this environment, with its folder, revision and API server.
   * @param options as for `Delivery.argoCd`; `path` is the folder of all environments. Values that you set win over the environment's.
   */
  public argoCd(options: ArgoCdDeliveryOptions): Delivery {
    const { path, revision = this.revision, server = this.server } = options;
    return Delivery.argoCd({ ...options, path: this.folder(path), revision, server });
  }

  /**
   * Flux for a platform of this environment, with its folder and revision.
   * @param options as for `Delivery.flux`; `path` is the folder of all environments. Values that you set win over the environment's.
   */
  public flux(options: FluxDeliveryOptions): Delivery {
    return Delivery.flux({ ...options, path: this.folder(options.path), revision: options.revision ?? this.revision });
  }

  /**
   * Writes only this environment, when all of them are complete; `environments.synth()` writes all.
   * @throws Error with all errors in it and all differences between the environments
   */
  public synth(): void {
    this.output.check();
    super.synth();
  }

  /** Writes what was checked. @internal */
  public _write(): void {
    super.synth();
  }

  /** @internal */
  public _structure(): EnvironmentStructure {
    return { name: this.name, namespacePrefix: this._spec.namespacePrefix, objects: declaredObjects(this) };
  }

  private folder(base = OUTPUT_FOLDER): string {
    return `${trimmedEnd(base, '/')}/${this.name}`;
  }

  private setting<T>(kind: 'versions' | 'images' | 'sizes' | 'quotas', name: string, all: { readonly [name: string]: T }): T {
    const value = Object.hasOwn(all, name) ? all[name] : undefined;
    if (value === undefined) {
      const names = Object.keys(all);
      throw new Error(`Environment '${this.name}': ${kind} has no '${name}'${names.length > 0 ? `; there are ${names.join(', ')}` : ': it is empty'}.${didYouMean(name, names)}`);
    }
    this._used.add(`${kind}.${name}`);
    return value;
  }
}

/** Key of the reason in a construct's metadata. */
const ONLY_HERE = 'trainyard:only-in-this-environment';

/** All objects of an app, without rendering them. */
function declaredObjects(app: App): StructureObject[] {
  return apiObjectsIn(app).map((object) => ({
    apiVersion: object.apiVersion, kind: object.kind, namespace: object.metadata.namespace, name: object.name,
    construct: object.node.path, reason: reasonOf(object),
  }));
}

/** The reason of the object itself, or of the constructs that contain it. */
function reasonOf(object: ApiObject): string | undefined {
  const marks = [...object.node.scopes].reverse().flatMap(({ node }) => node.metadata.filter(({ type }) => type === ONLY_HERE));
  return marks[0]?.data as string | undefined;
}
