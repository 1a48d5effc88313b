import type { InferenceService } from '../inference-service';
import type { GraphNode as GraphNodeSpec, GraphStep as GraphStepSpec, RouterType } from '../../../model/serving/graph';
import { checkTypes } from '../../props/check-props';

/** The server that a step calls. */
export class GraphTarget {
  /** A service of this program, in the graph's namespace. */
  public static service(service: InferenceService): GraphTarget {
    return new GraphTarget({ serviceName: service.name }, service);
  }

  /** An existing service in the graph's namespace. @param name name of the InferenceService */
  public static serviceNamed(name: string): GraphTarget {
    return new GraphTarget({ serviceName: name });
  }

  /** Any server. @param url URL for the request */
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

  /** The service, if it is one of this program. @internal */
  public get _service(): InferenceService | undefined {
    return this.service;
  }
}

/** Input of a step. */
export enum GraphData {
  /** The request to the node. */
  REQUEST = '$request',
  /** The response of the previous step. */
  RESPONSE = '$response',
}

/** One step of a node. */
export interface GraphStepOptions {
  /** The server that the step calls. */
  readonly target: GraphTarget;

  /** Name of the step, unique in its node, and key of its result in an ensemble. @default - its number */
  readonly name?: string;

  /**
   * GJSON path that must match: in a switch the request, in a sequence the previous response; for example `[@this].#(class=="dog")`.
   * @default - the step always runs
   * @see https://github.com/tidwall/gjson/blob/master/SYNTAX.md
   */
  readonly condition?: string;
}

/** One step of a sequence. */
export interface SequenceStepOptions extends GraphStepOptions {
  /** Input of the step. @default GraphData.REQUEST */
  readonly data?: GraphData;
  /** Whether an error of the step ends the sequence. @default false */
  readonly required?: boolean;
}

/** One target of a splitter. */
export interface SplitterStepOptions {
  /** The server for this part. */
  readonly target: GraphTarget;
  /** Percentage of the requests; the sum in a node must be 100. */
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

  /** The first step whose condition matches the request. @param steps the steps in their order */
  public static switchOver(steps: GraphStepOptions[]): GraphNode {
    checkTypes('GraphNode.switchOver', '[GraphStepOptions]', steps);
    return new GraphNode('Switch', steps.map(({ target, name, condition }) => ({ target, fields: { name, condition } })));
  }

  /** All steps at the same time; the result has an entry for each. */
  public static ensemble(steps: GraphStepOptions[]): GraphNode {
    checkTypes('GraphNode.ensemble', '[GraphStepOptions]', steps);
    return new GraphNode('Ensemble', steps.map(({ target, name, condition }) => ({ target, fields: { name, condition } })));
  }

  /** One of the steps, at random: for A/B tests and traffic splits. */
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

  /** Services of this program that it calls. @internal */
  public get _services(): InferenceService[] {
    return this.steps.flatMap(({ target }) => (target._service === undefined ? [] : [target._service]));
  }
}
