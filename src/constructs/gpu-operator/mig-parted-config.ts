import { ApiObject, Lazy, Yaml, type ApiObjectMetadata, type ApiObjectMetadataDefinition } from 'cdk8s';
import { Construct } from 'constructs';
import { PlainApiObject } from '../rendering/plain-api-object';
import { MIG_CONFIG_LABEL, checkMigConfigs, withAllDisabled, type MigConfigs, type MigEntry } from '../../model/gpu-operator/mig-parted';
import { MIG_CONFIG_FILE, constructMigConfigs } from '../../manifests/gpu-operator/gpu-operator';
import { errorLines } from '../rendering/problems';
import { checkProps, checkTypes } from '../props/check-props';

/** Properties of a `MigPartedConfig`. */
export interface MigPartedConfigProps {
  /**
   * Metadata of the ConfigMap, which must be in the GPU operator's namespace.
   * @default - name and namespace of the construct and its chart
   */
  readonly metadata?: ApiObjectMetadata;

  /**
   * Layouts by name of the configuration. The node label `nvidia.com/mig.config` selects one. `all-disabled`, which the operator uses at first,
   * always exists.
   * @default - none; add them with `addConfig`
   */
  readonly configs?: { readonly [name: string]: MigLayout[] };
}

/**
 * Configurations of NVIDIA's MIG manager in a ConfigMap: how the GPUs of nodes are partitioned.
 * @see docs/platform/gpu-sharing.md
 * @example
 * import { MigLayout, MigPartedConfig } from 'trainyard/gpu-operator';
 *
 * new MigPartedConfig(chart, 'Partitions', {
 *   metadata: { name: 'gpu-partitions' },
 *   configs: { small: [MigLayout.of({ '1g.10gb': 7 }, { product: 'NVIDIA-H100-80GB-HBM3' })] },
 * });
 */
export class MigPartedConfig extends Construct {
  /** Node label that selects a configuration. */
  public static readonly NODE_LABEL = MIG_CONFIG_LABEL;

  private readonly apiObject: ApiObject;
  private readonly configs: { [name: string]: MigEntry[] } = {};

  public constructor(scope: Construct, id: string, props: MigPartedConfigProps = {}) {
    super(scope, id);
    checkProps(this, 'MigPartedConfigProps', props);
    Object.entries(props.configs ?? {}).forEach(([name, layouts]) => this.addConfig(name, layouts));
    const configs = this.configs;
    this.apiObject = new PlainApiObject(this, 'Resource', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: props.metadata,
      data: Lazy.any({ produce: () => ({ [MIG_CONFIG_FILE]: Yaml.stringify(constructMigConfigs(configs)) }) }),
    });
    this.node.addValidation({ validate: () => errorLines('MigPartedConfig', this.name, checkMigConfigs(this.configs)) });
  }

  /** Name of the ConfigMap. */
  public get name(): string {
    return this.apiObject.name;
  }

  /** Metadata of the ConfigMap. */
  public get metadata(): ApiObjectMetadataDefinition {
    return this.apiObject.metadata;
  }

  /**
   * Adds a configuration.
   * @param name value of the node label
   * @param layouts partitions of the GPUs
   */
  public addConfig(name: string, layouts: MigLayout[]): void {
    if (Object.hasOwn(this.configs, name)) {
      throw new Error(`MigPartedConfig '${this.node.id}': there is already a configuration '${name}'. Use another name.`);
    }
    this.configs[name] = layouts.map((layout) => layout._toSpec());
  }

  /** Label of nodes that use a configuration. @param name name of the configuration */
  public nodeLabels(name: string): { [label: string]: string } {
    const names = Object.keys(withAllDisabled(this.configs));
    if (!names.includes(name)) {
      throw new Error(`MigPartedConfig '${this.node.id}': there is no configuration '${name}'. Configurations: ${names.join(', ')}.`);
    }
    return { [MIG_CONFIG_LABEL]: name };
  }

  /** @internal */
  public _toSpec(): MigConfigs {
    return { ...this.configs };
  }
}

/** The GPUs of a layout. */
export interface MigLayoutOptions {
  /** Indexes of GPUs of the node. @default - all of them */
  readonly devices?: number[];

  /**
   * PCI ids (device and vendor) of the GPUs, such as `0x233010DE` (H100 80 GB), for nodes with different GPUs.
   * @default - any GPU
   */
  readonly deviceFilter?: string[];

  /**
   * Product as in the label `nvidia.com/gpu.product`, against which the sizes are checked.
   * @default - any product with these sizes
   */
  readonly product?: string;
}

/** How GPUs are partitioned (MIG). @see docs/platform/gpu-sharing.md */
export class MigLayout {
  /** Whole GPUs. @param options which GPUs */
  public static disabled(options: MigLayoutOptions = {}): MigLayout {
    checkTypes('MigLayout.disabled', 'MigLayoutOptions', options);
    return new MigLayout({ ...options, enabled: false });
  }

  /**
   * A number of partitions of each size.
   * @param partitions numbers by size, such as `1g.10gb` (`MigSize.MIG_1G_10GB.profile`)
   * @param options which GPUs
   */
  public static of(partitions: { [size: string]: number }, options: MigLayoutOptions = {}): MigLayout {
    checkTypes('MigLayout.of', 'MigLayoutOptions', options);
    return new MigLayout({ ...options, enabled: true, partitions: { ...partitions } });
  }

  private constructor(private readonly entry: MigEntry) {}

  /** Partitions of each GPU by size, as a copy; empty for whole GPUs. */
  public get partitions(): { [size: string]: number } {
    return { ...this.entry.partitions };
  }

  /** @internal */
  public _toSpec(): MigEntry {
    return this.entry;
  }
}
