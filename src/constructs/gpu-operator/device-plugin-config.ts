import { ApiObject, Lazy, Yaml, type ApiObjectMetadata, type ApiObjectMetadataDefinition } from 'cdk8s';
import { Construct } from 'constructs';
import type { MigLayout } from './mig-parted-config';
import { MigStrategy, type MigSize } from '../accelerators/gpu-sharing';
import { errorLines } from '../rendering/problems';
import { checkProps, checkTypes } from '../props/check-props';
import { PlainApiObject } from '../rendering/plain-api-object';
import { constructPluginConfig } from '../../manifests/gpu-operator/gpu-operator';
import {
  PLUGIN_CONFIG_LABEL, allocatable, checkPluginConfigs, type PluginConfig, type PluginConfigs, type PluginSharing,
} from '../../model/gpu-operator/device-plugin';

/** One configuration of the device plugin. */
export interface DevicePluginSettings {
  /** How GPUs are shared. @default - GPUs are not shared */
  readonly sharing?: DevicePluginSharing;
  /** Resource names of partitions. @default MigStrategy.NONE */
  readonly migStrategy?: MigStrategy;
}

/** Properties of a `DevicePluginConfig`. */
export interface DevicePluginConfigProps {
  /**
   * Metadata of the ConfigMap, which must be in the GPU operator's namespace.
   * @default - name and namespace of the construct and its chart
   */
  readonly metadata?: ApiObjectMetadata;

  /**
   * Configurations by name. The node label `nvidia.com/device-plugin.config` selects one.
   * @default - none; add them with `addConfig`
   */
  readonly configs?: { readonly [name: string]: DevicePluginSettings };

  /** Name of the configuration for nodes without the label. @default - GPUs of such nodes are not shared */
  readonly defaultConfig?: string;
}

/**
 * Configurations of NVIDIA's device plugin in a ConfigMap: time-slicing, MPS, and the names of partitions.
 * @see docs/platform/gpu-sharing.md
 * @example
 * import { DevicePluginConfig, DevicePluginSharing } from 'trainyard/gpu-operator';
 *
 * new DevicePluginConfig(chart, 'Sharing', {
 *   metadata: { name: 'gpu-sharing', namespace: 'gpu-operator' },
 *   configs: { notebooks: { sharing: DevicePluginSharing.timeSlicing().gpus(4) } },
 * });
 */
export class DevicePluginConfig extends Construct {
  /** Node label that selects a configuration. */
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
   * @param name value of the node label
   * @param settings how GPUs are shared
   */
  public addConfig(name: string, settings: DevicePluginSettings): void {
    checkTypes('DevicePluginConfig.addConfig', 'DevicePluginSettings', settings);
    if (Object.hasOwn(this.configs, name)) {
      throw new Error(`DevicePluginConfig '${this.node.id}': there is already a configuration '${name}'. Use another name.`);
    }
    this.configs[name] = { migStrategy: settings.migStrategy ?? MigStrategy.NONE, sharing: settings.sharing?._toSpec() };
  }

  /** Label of nodes that use a configuration. @param name name of the configuration */
  public nodeLabels(name: string): { [label: string]: string } {
    this.configOf(name);
    return { [PLUGIN_CONFIG_LABEL]: name };
  }

  /**
   * Allocatable devices of a node with a configuration, by resource: GPUs x partitions x clients.
   * @param name name of the configuration
   * @param gpus number of GPUs of the node
   * @param layout partitions of each GPU @default - whole GPUs
   */
  public allocatable(name: string, gpus: number, layout?: MigLayout): { [resource: string]: number } {
    return allocatable(this.configOf(name), { gpus, partitions: layout?.partitions });
  }

  /** @internal */
  public _toSpec(): PluginConfigs {
    return { configs: { ...this.configs }, defaultConfig: this.defaultConfig };
  }

  private configOf(name: string): PluginConfig {
    if (!Object.hasOwn(this.configs, name)) {
      throw new Error(`DevicePluginConfig '${this.node.id}': there is no configuration '${name}'. Configurations: ${Object.keys(this.configs).join(', ') || 'none'}.`);
    }
    return this.configs[name];
  }
}

/** Options of shares. */
export interface DevicePluginSharingOptions {
  /**
   * Whether shares are named `nvidia.com/gpu.shared`, so that a pod that requests a whole GPU never gets a share instead.
   * @default true
   */
  readonly renameByDefault?: boolean;

  /**
   * Whether a container that requests two shares is rejected, because both can be of the same GPU. MPS always rejects it.
   * @default true
   */
  readonly failRequestsGreaterThanOne?: boolean;
}

/**
 * How NVIDIA's device plugin shares GPUs. Immutable; every method returns a new one.
 * @see docs/platform/gpu-sharing.md
 */
export class DevicePluginSharing {
  /**
   * Containers take turns. Each can use all memory of the GPU. Set what is shared with `gpus` and `partitions`.
   * @param options names of shares, and requests of several
   */
  public static timeSlicing(options: DevicePluginSharingOptions = {}): DevicePluginSharing {
    checkTypes('DevicePluginSharing.timeSlicing', 'DevicePluginSharingOptions', options);
    return DevicePluginSharing.of('timeSlicing', options);
  }

  /**
   * Containers run at the same time, with NVIDIA's Multi-Process Service, each with its part of memory and compute. Only for whole GPUs, on nodes
   * without partitions.
   * @param options names of shares, and requests of several
   */
  public static mps(options: DevicePluginSharingOptions = {}): DevicePluginSharing {
    checkTypes('DevicePluginSharing.mps', 'DevicePluginSharingOptions', options);
    return DevicePluginSharing.of('mps', options);
  }

  private static of(strategy: PluginSharing['strategy'], { renameByDefault = true, failRequestsGreaterThanOne = true }: DevicePluginSharingOptions): DevicePluginSharing {
    return new DevicePluginSharing({ strategy, renameByDefault, failRequestsGreaterThanOne: strategy === 'mps' || failRequestsGreaterThanOne, resources: [] });
  }

  private constructor(private readonly sharing: PluginSharing) {}

  /** Shares whole GPUs, or all partitions with the strategy single. @param clients containers that share each, at least 2 */
  public gpus(clients: number): DevicePluginSharing {
    return this.with('nvidia.com/gpu', clients);
  }

  /**
   * Shares partitions of a size, with the strategy mixed.
   * @param size size of the partitions
   * @param clients containers that share each, at least 2
   */
  public partitions(size: MigSize, clients: number): DevicePluginSharing {
    return this.with(`nvidia.com/mig-${size.profile.replace('+', '.')}`, clients);
  }

  /** @internal */
  public _toSpec(): PluginSharing {
    return this.sharing;
  }

  private with(name: string, replicas: number): DevicePluginSharing {
    return new DevicePluginSharing({ ...this.sharing, resources: [...this.sharing.resources, { name, replicas }] });
  }
}
