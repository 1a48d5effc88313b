import { ApiObject, Lazy, Yaml, type ApiObjectMetadata, type ApiObjectMetadataDefinition } from 'cdk8s';
import { Construct } from 'constructs';
import { PlainApiObject } from '../rendering/plain-api-object';
import { PLUGIN_CONFIG_LABEL, allocatable, checkPluginConfigs, type PluginConfig, type PluginConfigs } from '../../model/gpu-operator/device-plugin';
import { constructPluginConfig } from '../../manifests/gpu-operator/device-plugin';
import type { DevicePluginSharing } from './device-plugin-sharing';
import type { MigLayout } from './mig-layout';
import { MigStrategy } from './mig-strategy';
import { errorLines } from './problems';
import { checkProps, checkTypes } from '../props/check-props';

/**
 * One configuration of the device plugin.
 */
export interface DevicePluginSettings {
  /**
   * How GPUs are shared.
   *
   * @default - GPUs are not shared
   */
  readonly sharing?: DevicePluginSharing;

  /**
   * How partitions are called.
   *
   * @default MigStrategy.NONE
   */
  readonly migStrategy?: MigStrategy;
}

/**
 * Properties of a `DevicePluginConfig`.
 */
export interface DevicePluginConfigProps {
  /**
   * Metadata of the ConfigMap. The GPU operator looks for it in its own namespace.
   *
   * @default - name and namespace of the construct and its chart
   */
  readonly metadata?: ApiObjectMetadata;

  /**
   * Configurations by their names. A node chooses one by the label `nvidia.com/device-plugin.config`.
   *
   * @default - none; add them with `addConfig`
   */
  readonly configs?: { readonly [name: string]: DevicePluginSettings };

  /**
   * Name of the configuration of nodes without the label.
   *
   * @default - such nodes share nothing
   */
  readonly defaultConfig?: string;
}

/**
 * Configurations of NVIDIA's device plugin in a ConfigMap: time-slicing, MPS, and how partitions are called.
 *
 * @see docs/gpu-sharing.md
 */
export class DevicePluginConfig extends Construct {
  /** Label of nodes that chooses a configuration. */
  public static readonly NODE_LABEL = PLUGIN_CONFIG_LABEL;

  private readonly apiObject: ApiObject;
  private readonly configs: { [name: string]: PluginConfig } = {};
  private readonly defaultConfig?: string;

  public constructor(scope: Construct, id: string, props: DevicePluginConfigProps = {}) {
    super(scope, id);
    checkProps(this, 'DevicePluginConfigProps', props);
    this.defaultConfig = props.defaultConfig;
    Object.entries(props.configs ?? {}).forEach(([name, settings]) => this.addConfig(name, settings));
    const configs = this.configs;
    this.apiObject = new PlainApiObject(this, 'Resource', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: props.metadata,
      data: Lazy.any({
        produce: () => Object.fromEntries(Object.entries(configs).map(([name, config]) => [name, Yaml.stringify(constructPluginConfig(config))])),
      }),
    });
    this.node.addValidation({ validate: () => errorLines('DevicePluginConfig', this.name, checkPluginConfigs(this._toSpec())) });
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
   * @param name what nodes choose it by
   * @param settings how GPUs are shared
   */
  public addConfig(name: string, settings: DevicePluginSettings): void {
    checkTypes('DevicePluginConfig.addConfig', 'DevicePluginSettings', settings);
    if (Object.hasOwn(this.configs, name)) {
      throw new Error(`DevicePluginConfig '${this.node.id}': there is already a configuration '${name}'. Use another name.`);
    }
    this.configs[name] = { migStrategy: settings.migStrategy ?? MigStrategy.NONE, sharing: settings.sharing?._toSpec() };
  }

  /**
   * Label of nodes that choose a configuration.
   * @param name name of the configuration
   */
  public nodeLabels(name: string): { [label: string]: string } {
    this.configOf(name);
    return { [PLUGIN_CONFIG_LABEL]: name };
  }

  /**
   * What a node with a configuration has to give, by resource: GPUs x partitions x clients.
   * @param name name of the configuration
   * @param gpus GPUs of the node
   * @param layout partitions of each of them @default - whole GPUs
   */
  public allocatable(name: string, gpus: number, layout?: MigLayout): { [resource: string]: number } {
    return allocatable(this.configOf(name), { gpus, partitions: layout?.partitions });
  }

  /**
   * In the model's terms.
   * @internal
   */
  public _toSpec(): PluginConfigs {
    return { configs: { ...this.configs }, defaultConfig: this.defaultConfig };
  }

  private configOf(name: string): PluginConfig {
    if (!Object.hasOwn(this.configs, name)) {
      throw new Error(`DevicePluginConfig '${this.node.id}': there is no configuration '${name}'. There is ${Object.keys(this.configs).join(', ') || 'none'}.`);
    }
    return this.configs[name];
  }
}
