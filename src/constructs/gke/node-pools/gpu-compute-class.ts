import { Lazy, Names, type Duration } from 'cdk8s';
import { Construct } from 'constructs';
import type { GpuNodePool } from './gpu-node-pool';
import { PoolProgram, choiceLines, errorLines, warningLines } from './pool-choices';
import type { GpuNodePoolProps } from './pool-props';
import { COMPUTE_CLASS_VERSION, constructComputeClassSpec } from '../../../manifests/node-pools/compute-class';
import { FindingCollector, type Finding } from '../../../model/findings';
import { NODE_LABELS } from '../../../model/accelerators/labels';
import { computeClassGaps } from '../../../model/node-pools/gaps';
import type { PoolChoice } from '../../../model/node-pools/preferences';
import { POOL_RULES } from '../../../model/node-pools/rules/rule-list';
import type { NodePoolSpec } from '../../../model/node-pools/spec';
import { ProgramChecks } from '../../checks/program-checks';
import { clusterObject } from '../../rendering/objects';
import type { IComputeClass } from '../../training-job/capacity';
import type { Toleration } from '../../training-job/pods/toleration';
import { checkProps } from '../../props/check-props';

/** Names of classes are label values. */
const CLASS_NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** What happens to pods if no choice is available. */
export enum WhenUnsatisfiable {
  /** They wait. */
  DO_NOT_SCALE_UP = 'DoNotScaleUp',
  /** They can run on any node of the cluster. */
  SCALE_UP_ANYWAY = 'ScaleUpAnyway',
}

/** Properties of a `GpuComputeClass`. */
export interface GpuComputeClassProps extends GpuNodePoolProps {
  /**
   * Existing pools, the most preferred first, instead of ones that GKE creates. Not together with `accelerator`, `anyOf` and `capacity`.
   * @default - GKE creates the pools
   */
  readonly pools?: GpuNodePool[];

  /** What happens to pods if no choice is available. @default WhenUnsatisfiable.DO_NOT_SCALE_UP */
  readonly whenUnsatisfiable?: WhenUnsatisfiable;

  /** Whether pods move to a more preferred choice when it is available again: they are evicted and restarted. @default false */
  readonly moveUp?: boolean;

  /** How long an unneeded node is kept, 1 minute to 24 hours. @default - GKE's */
  readonly consolidationDelay?: Duration;
}

/**
 * Capacity as a list of preferences: GKE creates a node of the first choice that is available, in the order of `capacity` and, within each, of
 * `anyOf`. Pods select the class.
 * @see docs/platform/node-pools.md
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/about-custom-compute-classes
 * @example
 * import { Accelerator, Framework, Gpu, TrainingJob } from 'trainyard';
 * import { Capacity, GpuComputeClass } from 'trainyard/gke';
 *
 * const fast = new GpuComputeClass(chart, 'Fast', {
 *   accelerator: Accelerator.NVIDIA_B200,
 *   capacity: [Capacity.SPOT, Capacity.flexStart()],
 * });
 * new TrainingJob(chart, 'Train', {
 *   framework: Framework.pytorch(),
 *   image: 'registry.example/train:1',
 *   replicas: 2,
 *   resources: { gpu: Gpu.nvidia(8) },
 *   scheduling: { nodeSelector: fast.nodeSelector, tolerations: fast.tolerations },
 * });
 */
export class GpuComputeClass extends Construct implements IComputeClass {
  /** Name of the class. */
  public readonly name: string;

  private readonly program: PoolProgram;

  public constructor(scope: Construct, id: string, private readonly props: GpuComputeClassProps) {
    super(scope, id);
    checkProps(this, 'GpuComputeClassProps', props);
    this.name = props.name ?? Names.toDnsLabel(this, { includeHash: false });
    this.program = new PoolProgram(props, this.name);
    clusterObject(this, 'Resource', {
      apiVersion: COMPUTE_CLASS_VERSION,
      kind: 'ComputeClass',
      metadata: { name: this.name },
      spec: Lazy.any({ produce: () => this.render() }),
    });
    props.pools?.forEach((pool) => this.node.addDependency(pool));
    this.node.addValidation({ validate: () => errorLines('GpuComputeClass', this.name, this.findings()) });
    ProgramChecks.of(this).addSource(this, () => `GpuComputeClass '${this.name}'`, () => this.findings());
  }

  /** The choices in words, with their prices where they are known, the most preferred first. */
  public get choices(): string[] {
    return this.props.pools === undefined ? choiceLines(this.program.expanded.choices) : this.props.pools.flatMap(({ choices }) => choices);
  }

  /** Choices that cost more than `maxPrice`. */
  public get leftOut(): string[] {
    return this.props.pools === undefined ? choiceLines(this.program.expanded.leftOut) : [];
  }

  /** Combinations that may not work or are unconfirmed. Never errors. */
  public get warnings(): string[] {
    return warningLines(this.findings());
  }

  /** Label with which pods select the class. */
  public get nodeSelector(): { [label: string]: string } {
    return { [NODE_LABELS.computeClass]: this.name };
  }

  /** Toleration for the taint of the class's nodes. */
  public get tolerations(): Toleration[] {
    return [{ key: NODE_LABELS.computeClass, value: this.name }];
  }

  /**
   * Adds a label to all nodes that GKE makes for the class.
   * @param label name of the label
   * @param value its value
   */
  public addLabel(label: string, value: string): void {
    this.program.addLabel(label, value);
  }

  /** The choices as specs; undefined for a class of pools by name. @internal */
  public get _choices(): NodePoolSpec[] | undefined {
    return this.props.pools === undefined ? this.program.pools : undefined;
  }

  /** The choices with their prices. @internal */
  public get _priced(): readonly PoolChoice[] {
    return this.props.pools?.flatMap(({ _priced }) => _priced) ?? this.program.expanded.choices;
  }

  /** The choices as specs, also of pools by name, in the order of `choices`. @internal */
  public get _nodes(): NodePoolSpec[] {
    return this._priced.map(({ pool }) => pool);
  }

  private render(): object {
    const { pools, whenUnsatisfiable = WhenUnsatisfiable.DO_NOT_SCALE_UP, moveUp, consolidationDelay } = this.props;
    const { choices, leftOut } = this.program.expanded;
    return constructComputeClassSpec({
      choices: choices.map(({ pool }) => pool),
      poolNames: pools?.flatMap(({ poolNames }) => poolNames),
      description: describe(this.choices, choiceLines(leftOut)),
      whenUnsatisfiable,
      moveUp,
      consolidationDelayMinutes: consolidationDelay?.toMinutes(),
    });
  }

  private findings(): Finding[] {
    const { pools, accelerator, anyOf, capacity, consolidationDelay } = this.props;
    const findings = new FindingCollector();
    if (!CLASS_NAME.test(this.name)) {
      findings.error(POOL_RULES.computeClass, 'name', this.name, "must be lower-case letters, digits and '-', with a letter or a digit at both ends, at most 63 characters: it is a label value.");
    }
    const minutes = consolidationDelay?.toMinutes({ integral: false });
    if (minutes !== undefined && (!Number.isInteger(minutes) || minutes < 1 || minutes > 1440)) {
      findings.error(POOL_RULES.computeClass, 'consolidationDelay', minutes, 'must be a whole number of minutes from 1 to 1440.');
    }
    if (pools === undefined) {
      // GKE chooses the names of the pools that it creates.
      findings.addAll(this.program.findings((pool) => computeClassGaps(pool)).filter(({ rule }) => rule !== POOL_RULES.name.id));
      return findings.findings;
    }
    if (accelerator !== undefined || anyOf !== undefined || capacity !== undefined) {
      findings.error(POOL_RULES.classPriorities, 'pools', pools.length, 'cannot be combined with accelerator, anyOf and capacity, which the pools have themselves. Remove one of the two.');
    }
    if (pools.length === 0) {
      findings.error(POOL_RULES.classPriorities, 'pools', [], 'is empty. Add a pool, or leave it out for pools that GKE creates.');
    }
    pools.flatMap(({ _pools }) => _pools).forEach((pool, index) => {
      if (pool.computeClass !== this.name) {
        findings.error(POOL_RULES.classOfPool, `pools[${index}].computeClass`, pool.computeClass, `must be '${this.name}' for pool '${pool.name}': only nodes with the label and the taint of the class are its nodes. Set it.`);
      }
    });
    return findings.findings;
  }
}

/** Description of a class for users. */
function describe(choices: readonly string[], leftOut: readonly string[]): string {
  const numbered = choices.map((choice, index) => `${index + 1}. ${choice}`).join('; ');
  return leftOut.length === 0 ? numbered : `${numbered}. Left out for their price: ${leftOut.join('; ')}`;
}
