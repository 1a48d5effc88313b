import { ApiObject, Lazy, type Duration } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { PlainApiObject } from '../../rendering/plain-api-object';
import type { GraphNode } from './graph-node';
import type { ScaleMetric } from '../scaling';
import type { ServingMode } from '../serving-mode';
import { KSERVE_V1ALPHA1, constructInferenceGraphSpec, graphAnnotations } from '../../../manifests/serving/inference-graph';
import { validateInferenceGraph, type InferenceGraphSpec } from '../../../model/serving/graph';
import { toleration } from '../../training-job/pods/kubernetes-toleration';
import type { TrainingResources } from '../../training-job/pods/resources';
import type { Toleration } from '../../training-job/pods/toleration';
import { resources } from '../../training-job/to-spec';
import { checkProps } from '../../props/check-props';
import { reportAtSynth, type Problem } from '../../rendering/problems';

/** Properties of an `InferenceGraph`. */
export interface InferenceGraphProps extends kplus.ResourceProps {
  /** How KServe runs the router pods. It cannot change later. */
  readonly mode: ServingMode;
  /** The nodes by name. Requests start at `root`. @default - none; see `addNode` */
  readonly nodes?: { readonly [name: string]: GraphNode };
  /** Minimum number of router pods; 0 only in `ServingMode.KNATIVE`. @default 1 */
  readonly minReplicas?: number;
  /** Maximum number of router pods. @default - KServe's */
  readonly maxReplicas?: number;
  /** Metric by which they are scaled. @default - KServe's */
  readonly metric?: ScaleMetric;
  /** Timeout of a request. @default - KServe's */
  readonly timeout?: Duration;
  /** Compute of each router pod. @default - KServe's */
  readonly resources?: TrainingResources;
  /** Service account of the router pods. @default - the namespace's default service account */
  readonly serviceAccount?: kplus.IServiceAccount;
  /** Labels that a node must have. @default - any node */
  readonly nodeSelector?: { readonly [label: string]: string };
  /** Taints that the pods tolerate. @default - none */
  readonly tolerations?: Toleration[];
}

/**
 * Several models with one address: one after the other, by a condition, all at once, or each with a share of the traffic.
 * @see https://kserve.github.io/website/docs/concepts/resources/inferencegraph
 * @example
 * import { GraphNode, GraphTarget, InferenceGraph, ServingMode, SplitterStepOptions } from 'trainyard/serving';
 *
 * const stable: SplitterStepOptions = { target: GraphTarget.serviceNamed('pets'), weight: 80 };
 * const next: SplitterStepOptions = { target: GraphTarget.serviceNamed('pets-next'), weight: 20 };
 * new InferenceGraph(chart, 'Pets', {
 *   metadata: { name: 'pets' },
 *   mode: ServingMode.STANDARD,
 *   nodes: { root: GraphNode.splitter([stable, next]) },
 * });
 */
export class InferenceGraph extends kplus.Resource {
  /** Plural name of the rendered kind, for RBAC rules. */
  public readonly resourceType: string = 'inferencegraphs';

  /** How KServe runs the router pods. */
  public readonly mode: ServingMode;

  protected readonly apiObject: ApiObject;

  private readonly props: InferenceGraphProps;
  private readonly _nodes = new Map<string, GraphNode>();

  public constructor(scope: Construct, id: string, props: InferenceGraphProps) {
    super(scope, id);
    checkProps(this, 'InferenceGraphProps', props);
    this.props = props;
    this.mode = props.mode;
    this.apiObject = new PlainApiObject(this, 'Resource', {
      apiVersion: KSERVE_V1ALPHA1,
      kind: 'InferenceGraph',
      metadata: { ...props.metadata, annotations: { ...props.metadata?.annotations, ...graphAnnotations(this.toSpec()) } },
      spec: Lazy.any({ produce: () => constructInferenceGraphSpec(this.toSpec()) }),
    });
    Object.entries(props.nodes ?? {}).forEach(([name, node]) => this.addNode(name, node));
    reportAtSynth(this, `InferenceGraph '${this.name}'`, () => this.problems());
  }

  /** The nodes by name, as a copy. */
  public get nodes(): { [name: string]: GraphNode } {
    return Object.fromEntries(this._nodes);
  }

  /**
   * Adds a node.
   * @param name name of the node; requests start at `root`
   * @param node its steps
   */
  public addNode(name: string, node: GraphNode): void {
    if (this._nodes.has(name)) {
      throw new Error(`InferenceGraph at '${this.node.path}': already has a node '${name}'. Use another name.`);
    }
    this._nodes.set(name, node);
    node._services.forEach((service) => this.node.addDependency(service));
  }

  private toSpec(): InferenceGraphSpec {
    const { minReplicas, maxReplicas, metric, timeout, serviceAccount, nodeSelector, tolerations } = this.props;
    return {
      mode: this.mode,
      nodes: Object.fromEntries([...this._nodes].map(([name, node]) => [name, node._toSpec()])),
      minReplicas,
      maxReplicas,
      metric: metric?._toSpec(),
      timeoutSeconds: timeout?.toSeconds(),
      resources: this.props.resources && resources(this.props.resources),
      serviceAccountName: serviceAccount?.name,
      nodeSelector,
      tolerations: tolerations?.map((one) => ({ ...toleration(one) })),
    };
  }

  private problems(): Problem[] {
    const problems: Problem[] = validateInferenceGraph(this.name, this.toSpec());
    for (const [name, node] of this._nodes) {
      for (const service of node._services.filter(({ metadata }) => metadata.namespace !== this.metadata.namespace)) {
        problems.push(`spec.nodes.${name}: "${service.name}": is in the namespace '${service.metadata.namespace}', but a graph can only use services in its own namespace, `
          + `'${this.metadata.namespace}'. Use GraphTarget.url.`);
      }
    }
    return problems;
  }
}
