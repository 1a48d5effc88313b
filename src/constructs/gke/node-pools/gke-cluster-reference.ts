import type { NodePoolTarget } from '../../../manifests/node-pools/container-node-pool';
import { checkTypes } from '../../props/check-props';

/**
 * Where a cluster stands.
 */
export interface GkeClusterReferenceOptions {
  /**
   * Region or zone of the cluster.
   */
  readonly location: string;

  /**
   * Project of the cluster.
   *
   * @default - the project of the namespace
   */
  readonly project?: string;
}

/**
 * A GKE cluster that node pools are added to.
 */
export class GkeClusterReference {
  /**
   * A cluster that Config Connector did not make.
   * @param name name of the cluster
   * @param options where it stands
   */
  public static named(name: string, options: GkeClusterReferenceOptions): GkeClusterReference {
    checkTypes('GkeClusterReference.named', 'GkeClusterReferenceOptions', options);
    return new GkeClusterReference({ clusterName: name, location: options.location, project: options.project });
  }

  /**
   * A cluster that is an object of Config Connector.
   * @param name name of the ContainerCluster
   * @param options where it stands
   */
  public static object(name: string, options: GkeClusterReferenceOptions): GkeClusterReference {
    checkTypes('GkeClusterReference.object', 'GkeClusterReferenceOptions', options);
    return new GkeClusterReference({ clusterObject: name, location: options.location, project: options.project });
  }

  private constructor(private readonly target: NodePoolTarget) {}

  /**
   * In terms of manifests.
   * @internal
   */
  public _toTarget(): NodePoolTarget {
    return this.target;
  }
}
