import { Lazy, Names, type ApiObject, type ApiObjectMetadata } from 'cdk8s';
import { Construct } from 'constructs';
import { checkFeatureRules, type FeatureRule } from '../../model/gpu-operator/node-feature-rule';
import { NODE_FEATURE_RULE_VERSION, constructNodeFeatureRuleSpec } from '../../manifests/gpu-operator/gpu-operator';
import { clusterObject } from '../rendering/objects';
import type { FeatureMatch } from './feature-match';
import { errorLines } from '../rendering/problems';
import { checkProps, checkTypes } from '../props/check-props';

/**
 * A taint of matching nodes. Node feature discovery adds taints only if its master runs with `-enable-taints`.
 */
export interface FeatureTaint {
  /** Key of the taint. */
  readonly key: string;
  /** Value of the taint. @default - none */
  readonly value?: string;
  /** `NoSchedule`, `PreferNoSchedule` or `NoExecute`. */
  readonly effect: string;
}

/** What is added to nodes with certain features. */
export interface NodeFeatureOptions {
  /** Labels for matching nodes. @default - none */
  readonly labels?: { readonly [label: string]: string };

  /** Annotations for matching nodes. @default - none */
  readonly annotations?: { readonly [annotation: string]: string };

  /** Taints for matching nodes. @default - none */
  readonly taints?: FeatureTaint[];

  /**
   * Extended resources for matching nodes: a quantity, or the value of a feature such as `@memory.numa.node_count`.
   * @default - none
   */
  readonly extendedResources?: { readonly [resource: string]: string };

  /** Features that a node must all have. @default - any node */
  readonly allOf?: FeatureMatch[];

  /** Features of which a node must have at least one, in addition to those in `allOf`. @default - none are needed */
  readonly anyOf?: FeatureMatch[];
}

/** Properties of a `NodeFeatureRule`. */
export interface NodeFeatureRuleProps {
  /** Metadata of the object. @default - named after the construct */
  readonly metadata?: ApiObjectMetadata;
  /** Rules by name. @default - none; add them with `addRule` */
  readonly rules?: { readonly [name: string]: NodeFeatureOptions };
}

/**
 * Rules of node feature discovery, which labels nodes by their features, so that pods can select them.
 * @see docs/platform/gpu-sharing.md
 * @example
 * import { FeatureMatch, NodeFeatureRule } from 'trainyard/gpu-operator';
 *
 * new NodeFeatureRule(chart, 'Fabric', {
 *   metadata: { name: 'fabric' },
 *   rules: { infiniband: { labels: { 'example.com/fabric': 'infiniband' }, allOf: [FeatureMatch.pciDevice('15b3')] } },
 * });
 */
export class NodeFeatureRule extends Construct {
  private readonly apiObject: ApiObject;
  private readonly rules: FeatureRule[] = [];

  public constructor(scope: Construct, id: string, props: NodeFeatureRuleProps = {}) {
    super(scope, id);
    checkProps(this, 'NodeFeatureRuleProps', props);
    Object.entries(props.rules ?? {}).forEach(([name, options]) => this.addRule(name, options));
    const rules = this.rules;
    this.apiObject = clusterObject(this, 'Resource', {
      apiVersion: NODE_FEATURE_RULE_VERSION,
      kind: 'NodeFeatureRule',
      metadata: { ...props.metadata, name: props.metadata?.name ?? Names.toDnsLabel(this, { includeHash: false }) },
      spec: Lazy.any({ produce: () => constructNodeFeatureRuleSpec(rules) }),
    });
    this.node.addValidation({ validate: () => errorLines('NodeFeatureRule', this.name, checkFeatureRules(this.rules)) });
  }

  /** Name of the object. */
  public get name(): string {
    return this.apiObject.name;
  }

  /**
   * Adds a rule.
   * @param name name of the rule
   * @param options features, and what is added to matching nodes
   */
  public addRule(name: string, options: NodeFeatureOptions): void {
    checkTypes('NodeFeatureRule.addRule', 'NodeFeatureOptions', options);
    const { allOf, anyOf, ...outputs } = options;
    this.rules.push({
      name,
      ...outputs,
      matchFeatures: allOf?.map((match) => match._toSpec()),
      matchAny: anyOf?.map((match) => [match._toSpec()]),
    });
  }
}
