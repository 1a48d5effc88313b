import type { InferenceService } from '../inference-service';
import type { GraphNode as GraphNodeSpec, GraphStep as GraphStepSpec, RouterType } from '../../../model/serving/graph';
import { checkTypes } from '../../props/check-props';

/** Whom a step asks. */
export class GraphTarget {
  /** A service of this program, in the graph's namespace. */
  public static service(service: InferenceService): GraphTarget {
    return new GraphTarget({ serviceName: service.name }, service);
  }

  /** A service that another party describes, in the graph's namespace. @param name name of the InferenceService */
  public static serviceNamed(name: string): GraphTarget {
    return new GraphTarget({ serviceName: name });
  }

  /** A server anywhere. @param url URL that the request is sent to */
  public static url(url: string): GraphTarget {
    return new GraphTarget({ serviceUrl: url });
  }

  /** Another node of the graph. @param name name of the node */
  public static node(name: string): GraphTarget {
    return new GraphTarget({ nodeName: name });
  }

  private constructor(private readonly fields: Partial<GraphStepSpec>, private readonly service?: InferenceService) {}

  /** Fields of the step. @internal */
  public _toSpec(): Partial<GraphStepSpec> {
    return this.fields;
  }

  /** The service, where it is one of this program. @internal */
  public get _service(): InferenceService | undefined {
    return this.service;
  }
}

/** What a step passes on. */
export enum GraphData {
  /** The request that came to the node. */
  REQUEST = '$request',
  /** The response of the step before. */
  RESPONSE = '$response',
}

/** One step of a node. */
export interface GraphStepOptions {
  /** Whom the step asks. */
  readonly target: GraphTarget;

  /** Name of the step, unique in its node: an ensemble's answer has one entry by each. @default - its number */
  readonly name?: string;

  /**
   * GJSON path that has to be found: in a switch in the request, in a sequence in the response before; for example `[@this].#(class=="dog")`.
   * @default - the step is always taken
   * @see https://github.com/tidwall/gjson/blob/master/SYNTAX.md
   */
  readonly condition?: string;
}

/** One step of a sequence. */
export interface SequenceStepOptions extends GraphStepOptions {
  /** What the step is asked with. @default GraphData.REQUEST */
  readonly data?: GraphData;
  /** Whether the sequence ends with the step's answer when it is an error. @default false */
  readonly required?: boolean;
}

/** One target of a splitter. */
export interface SplitterStepOptions {
  /** Who gets this part. */
  readonly target: GraphTarget;
  /** Part of the requests in percent; those of a node have the sum 100. */
  readonly weight: number;
  /** Name of the step, unique in its node. @default - its number */
  readonly name?: string;
}

/** One node of an `InferenceGraph`. */
export class GraphNode {
  /** One step after the other. @param steps the steps in their order */
  public static sequence(steps: SequenceStepOptions[]): GraphNode {
    checkTypes('GraphNode.sequence', '[SequenceStepOptions]', steps);
    return new GraphNode('Sequence', steps.map(({ target, name, condition, data, required }) => ({
      target, fields: { name, condition, data, dependency: required === undefined ? undefined : required ? 'Hard' : 'Soft' },
    })));
  }

  /** The first step whose condition fits the request. @param steps the steps in their order */
  public static switchOver(steps: GraphStepOptions[]): GraphNode {
    checkTypes('GraphNode.switchOver', '[GraphStepOptions]', steps);
    return new GraphNode('Switch', steps.map(({ target, name, condition }) => ({ target, fields: { name, condition } })));
  }

  /** All steps at the same time; the answer has one entry for each. */
  public static ensemble(steps: GraphStepOptions[]): GraphNode {
    checkTypes('GraphNode.ensemble', '[GraphStepOptions]', steps);
    return new GraphNode('Ensemble', steps.map(({ target, name, condition }) => ({ target, fields: { name, condition } })));
  }

  /** One of the steps, by chance: A/B tests and shares of traffic. */
  public static splitter(steps: SplitterStepOptions[]): GraphNode {
    checkTypes('GraphNode.splitter', '[SplitterStepOptions]', steps);
    return new GraphNode('Splitter', steps.map(({ target, name, weight }) => ({ target, fields: { name, weight } })));
  }

  private constructor(
    private readonly routerType: RouterType,
    private readonly steps: readonly { readonly target: GraphTarget; readonly fields: GraphStepSpec }[],
  ) {}

  /** @internal */
  public _toSpec(): GraphNodeSpec {
    return { routerType: this.routerType, steps: this.steps.map(({ target, fields }) => ({ ...target._toSpec(), ...fields })) };
  }

  /** Services of this program that it asks. @internal */
  public get _services(): InferenceService[] {
    return this.steps.flatMap(({ target }) => (target._service === undefined ? [] : [target._service]));
  }
}
