import { Names } from 'cdk8s';
import { Construct } from 'constructs';
import type { IAdmissionCheck } from './admission-check';
import { KUEUE_GROUP, KUEUE_VERSION } from '../../model/kueue-names';
import { constructMultiKueueCheckSpec } from '../../manifests/kueue/queues';
import { clusterObject } from '../rendering/objects';
import { checkProps } from '../props/check-props';
import { reportAtSynth } from '../rendering/problems';

const API_VERSION = `${KUEUE_GROUP}/${KUEUE_VERSION}`;
const MAX_CLUSTERS = 20;

/** How Kueue connects to another cluster. */
export class MultiKueueSource {
  /** A kubeconfig in a Secret in Kueue's namespace, with the key `kubeconfig`. @param name name of the Secret */
  public static kubeConfigSecret(name: string): MultiKueueSource {
    return new MultiKueueSource({ kubeConfig: { locationType: 'Secret', location: name } }, name);
  }

  /** A kubeconfig in a file of Kueue's own container. @param path absolute path */
  public static kubeConfigPath(path: string): MultiKueueSource {
    return new MultiKueueSource({ kubeConfig: { locationType: 'Path', location: path } }, path);
  }

  /** A ClusterProfile in Kueue's namespace. @param name name of the ClusterProfile */
  public static clusterProfile(name: string): MultiKueueSource {
    return new MultiKueueSource({ clusterProfileRef: { name } }, name);
  }

  private constructor(private readonly source: object, private readonly location: string) {}

  /** `spec.clusterSource`. @internal */
  public _render(): object {
    return this.source;
  }

  /** Name or path. @internal */
  public get _location(): string {
    return this.location;
  }
}

/** Properties of a `MultiKueueCluster`. */
export interface MultiKueueClusterProps {
  /** Name of the cluster in Kueue. @default - derived from the id of the construct */
  readonly name?: string;
  /** How Kueue connects to it. */
  readonly source: MultiKueueSource;
}

/**
 * Another cluster that workloads can run in.
 * @see https://kueue.sigs.k8s.io/docs/concepts/multikueue/
 * @example
 * import { MultiKueueCluster, MultiKueueSource } from 'trainyard/queues';
 *
 * new MultiKueueCluster(chart, 'East', { name: 'east', source: MultiKueueSource.kubeConfigSecret('east-kubeconfig') });
 */
export class MultiKueueCluster extends Construct {
  /** Name of the cluster in Kueue. */
  public readonly name: string;

  public constructor(scope: Construct, id: string, props: MultiKueueClusterProps) {
    super(scope, id);
    checkProps(this, 'MultiKueueClusterProps', props);
    this.name = props.name ?? Names.toDnsLabel(this, { includeHash: false });
    clusterObject(this, 'Resource', { apiVersion: API_VERSION, kind: 'MultiKueueCluster', metadata: { name: this.name }, spec: { clusterSource: props.source._render() } });
    const { length } = props.source._location;
    reportAtSynth(this, `MultiKueueCluster '${this.name}'`, () => (length > 0 && length <= 256 ? [] : [`spec.clusterSource: ${length} characters: must be 1 to 256.`]));
  }
}

/** Properties of a `MultiKueue`. */
export interface MultiKueueProps {
  /** Name of the check, and of its config: at most 63 characters. @default - derived from the id of the construct */
  readonly name?: string;
  /** Clusters to which a workload is offered: 1 to 20. */
  readonly clusters: MultiKueueCluster[];
}

/**
 * Runs a queue's workloads in the first of several clusters that admits them. Jobs of the queue need `managedBy: kueue.x-k8s.io/multikueue`.
 * @see docs/teams/queues.md
 * @see https://kueue.sigs.k8s.io/docs/concepts/multikueue/
 * @example
 * import { Gpu } from 'trainyard';
 * import { ClusterQueue, MultiKueue, MultiKueueCluster, MultiKueueSource, Quota, ResourceFlavor } from 'trainyard/queues';
 *
 * const east = new MultiKueueCluster(chart, 'East', { name: 'east', source: MultiKueueSource.kubeConfigSecret('east-kubeconfig') });
 * new ClusterQueue(chart, 'Anywhere', {
 *   name: 'anywhere',
 *   admissionChecks: [{ check: new MultiKueue(chart, 'Clusters', { name: 'clusters', clusters: [east] }) }],
 *   resourceGroups: [{ flavors: [{ flavor: ResourceFlavor.fromFlavorName('any'), quotas: [Quota.gpu(Gpu.nvidia(256))] }] }],
 * });
 */
export class MultiKueue extends Construct implements IAdmissionCheck {
  public readonly admissionCheckName: string;

  public constructor(scope: Construct, id: string, props: MultiKueueProps) {
    super(scope, id);
    checkProps(this, 'MultiKueueProps', props);
    const name = props.name ?? Names.toDnsLabel(this, { includeHash: false });
    this.admissionCheckName = name;
    const clusters = props.clusters.map((cluster) => cluster.name);
    clusterObject(this, 'Config', { apiVersion: API_VERSION, kind: 'MultiKueueConfig', metadata: { name }, spec: { clusters } });
    clusterObject(this, 'Check', { apiVersion: API_VERSION, kind: 'AdmissionCheck', metadata: { name }, spec: constructMultiKueueCheckSpec(name) });
    props.clusters.forEach((cluster) => this.node.addDependency(cluster));
    reportAtSynth(this, `MultiKueue '${name}'`, () => {
      const problems: string[] = [];
      if (clusters.length === 0 || clusters.length > MAX_CLUSTERS) {
        problems.push(`spec.clusters: ${clusters.length}: must be 1 to ${MAX_CLUSTERS}.`);
      }
      const twice = clusters.find((cluster, index) => clusters.indexOf(cluster) < index);
      if (twice !== undefined) {
        problems.push(`spec.clusters: "${twice}": is listed twice. Remove one.`);
      }
      if (name.length > 63 || !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)) {
        problems.push(`metadata.name: "${name}": must be a DNS label, because the check uses it as the name of its config: lower-case letters, digits and -, at most 63.`);
      }
      return problems;
    });
  }
}
