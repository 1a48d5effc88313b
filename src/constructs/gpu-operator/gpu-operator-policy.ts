import { Lazy, type ApiObject, type ApiObjectMetadata } from 'cdk8s';
import { Construct } from 'constructs';
import { checkClusterPolicy, type ClusterPolicySpec, type OperatorPart } from '../../model/gpu-operator/cluster-policy';
import { CLUSTER_POLICY_NAME, CLUSTER_POLICY_VERSION, constructClusterPolicySpec } from '../../manifests/gpu-operator/gpu-operator';
import { clusterObject } from '../rendering/objects';
import { toleration } from '../training-job/pods/kubernetes-toleration';
import type { Toleration } from '../training-job/pods/toleration';
import type { DevicePluginConfig } from './device-plugin-config';
import type { MigPartedConfig } from './mig-parted-config';
import { MigStrategy } from '../accelerators/gpu-sharing';
import { errorLines } from '../rendering/problems';
import { checkProps } from '../props/check-props';

/** A component of the GPU operator. */
export interface GpuOperatorPart {
  /** Whether it runs. @default true */
  readonly enabled?: boolean;
  /** Version of its image. @default - the version of the operator's release */
  readonly version?: string;
}

/** Properties of a `GpuOperatorPolicy`. */
export interface GpuOperatorPolicyProps {
  /** Metadata of the object. @default - named `cluster-policy`: a cluster has one, and the operator ignores others */
  readonly metadata?: ApiObjectMetadata;
  /** Namespace of the operator, which must contain its ConfigMaps. @default - unknown, and not checked */
  readonly operatorNamespace?: string;
  /** Resource names of partitions. @default MigStrategy.SINGLE */
  readonly migStrategy?: MigStrategy;
  /** How GPUs are shared. @default - they are not */
  readonly devicePluginConfig?: DevicePluginConfig;
  /** How GPUs are partitioned. @default - the built-in configurations of the operator */
  readonly migConfig?: MigPartedConfig;
  /** The driver. Disable it if nodes have one. @default - it is installed */
  readonly driver?: GpuOperatorPart;
  /** Kind of the kernel module: `auto`, `open` or `proprietary`. @default - the operator chooses */
  readonly kernelModuleType?: string;
  /** NVIDIA's container toolkit. Disable it if nodes have it. @default - it is installed */
  readonly toolkit?: GpuOperatorPart;
  /** The device plugin. @default - it runs */
  readonly devicePlugin?: GpuOperatorPart;
  /** GPU feature discovery, which writes the labels that pods select. @default - it runs */
  readonly gpuFeatureDiscovery?: GpuOperatorPart;
  /** DCGM as a separate process. The exporter has it built in. @default - it does not run */
  readonly dcgm?: GpuOperatorPart;
  /** The exporter of GPU metrics. @default - it runs */
  readonly dcgmExporter?: GpuOperatorPart;
  /** Whether the Prometheus Operator scrapes the metrics of GPUs. @default - the operator's, false */
  readonly serviceMonitor?: boolean;
  /** The MIG manager, which partitions GPUs. @default - it runs */
  readonly migManager?: GpuOperatorPart;
  /** The exporter of the operator's status on each node. @default - it does not run */
  readonly nodeStatusExporter?: GpuOperatorPart;
  /** Whether containers get devices through CDI. @default - the operator's */
  readonly cdi?: boolean;
  /** Taints that the operator's pods tolerate. @default - the operator's: the taint of GPUs */
  readonly tolerations?: Toleration[];
}

/**
 * The ClusterPolicy of NVIDIA's GPU operator: which components run, and how GPUs are partitioned and shared. The operator's defaults apply to the
 * rest.
 * @see docs/platform/gpu-sharing.md
 * @example
 * import { MigStrategy } from 'trainyard';
 * import { GpuOperatorPolicy, MigLayout, MigPartedConfig } from 'trainyard/gpu-operator';
 *
 * const migConfig = new MigPartedConfig(chart, 'Partitions', {
 *   metadata: { name: 'gpu-partitions' },
 *   configs: { small: [MigLayout.of({ '1g.10gb': 7 }, { product: 'NVIDIA-H100-80GB-HBM3' })] },
 * });
 * new GpuOperatorPolicy(chart, 'Policy', { migConfig, migStrategy: MigStrategy.MIXED });
 */
export class GpuOperatorPolicy extends Construct {
  private readonly apiObject: ApiObject;

  public constructor(scope: Construct, id: string, private readonly props: GpuOperatorPolicyProps = {}) {
    super(scope, id);
    checkProps(this, 'GpuOperatorPolicyProps', props);
    this.apiObject = clusterObject(this, 'Resource', {
      apiVersion: CLUSTER_POLICY_VERSION,
      kind: 'ClusterPolicy',
      metadata: { ...props.metadata, name: props.metadata?.name ?? CLUSTER_POLICY_NAME },
      spec: Lazy.any({ produce: () => constructClusterPolicySpec(toSpec(props)) }),
    });
    this.node.addValidation({ validate: () => errorLines('GpuOperatorPolicy', this.name, checkClusterPolicy(toSpec(this.props))) });
  }

  /** Name of the object. */
  public get name(): string {
    return this.apiObject.name;
  }
}

const OFF: OperatorPart = { enabled: false };

function toSpec(props: GpuOperatorPolicyProps): ClusterPolicySpec {
  const { devicePluginConfig: plugin, migConfig } = props;
  return {
    migStrategy: props.migStrategy ?? MigStrategy.SINGLE,
    driver: { ...props.driver, kernelModuleType: props.kernelModuleType },
    toolkit: { ...props.toolkit },
    devicePlugin: { ...props.devicePlugin },
    gpuFeatureDiscovery: { ...props.gpuFeatureDiscovery },
    dcgm: props.dcgm ?? OFF,
    dcgmExporter: { ...props.dcgmExporter, serviceMonitor: props.serviceMonitor },
    migManager: { ...props.migManager },
    nodeStatusExporter: props.nodeStatusExporter ?? OFF,
    cdi: props.cdi,
    pluginConfigs: plugin && { name: plugin.name, namespace: plugin.metadata.namespace, configs: plugin._toSpec() },
    migConfigs: migConfig && { name: migConfig.name, namespace: migConfig.metadata.namespace, configs: migConfig._toSpec() },
    tolerations: (props.tolerations ?? []).map(toleration),
    namespace: props.operatorNamespace,
  };
}
