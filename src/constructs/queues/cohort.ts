import { Lazy, Names } from 'cdk8s';
import { Construct } from 'constructs';
import type { ResourceGroup } from './quota';
import { resourceGroupSpecs } from './landscape';
import { KUEUE_GROUP, KUEUE_VERSION } from '../../model/kueue-names';
import { constructCohortSpec } from '../../manifests/kueue/queues';
import { validateCohort } from '../../model/queues/rules';
import type { CohortSpec } from '../../model/queues/spec';
import { clusterObject } from '../rendering/objects';
import { checkProps } from '../props/check-props';
import { reportAtSynth } from '../rendering/problems';

/** A cohort of the program, or one by name. */
export interface ICohort {
  /** Name of the cohort. */
  readonly cohortName: string;
}

/** Properties of a `Cohort`. */
export interface CohortProps {
  /** Name of the cohort. @default - derived from the id of the construct */
  readonly name?: string;
  /** Cohort that this one borrows from and lends to. @default - none */
  readonly parent?: ICohort;
  /** Quota of the cohort itself, which all members can use. @default - none: members only share their own quotas */
  readonly resourceGroups?: ResourceGroup[];
  /** Weight of the cohort among its siblings, for sharing borrowed quota. @default 1 */
  readonly fairSharingWeight?: number;
}

/**
 * Queues that lend unused quota to each other. All members of the cohort must be in the program, because synth adds up their quotas.
 * @see docs/teams/queues.md
 * @see https://kueue.sigs.k8s.io/docs/concepts/cohort/
 * @example
 * import { Gpu } from 'trainyard';
 * import { ClusterQueue, Cohort, Quota, ReclaimWithinCohort, ResourceFlavor } from 'trainyard/queues';
 *
 * const cohort = new Cohort(chart, 'Company', { name: 'company' });
 * new ClusterQueue(chart, 'Research', {
 *   name: 'research',
 *   cohort,
 *   preemption: { reclaimWithinCohort: ReclaimWithinCohort.ANY },
 *   resourceGroups: [{ flavors: [{ flavor: ResourceFlavor.fromFlavorName('h100'), quotas: [Quota.gpu(Gpu.nvidia(48), { borrowingLimit: 16 })] }] }],
 * });
 */
export class Cohort extends Construct implements ICohort {
  /**
   * A cohort with members or quota outside the program. Synth does not check how much can be borrowed in it.
   * @param name name of the cohort
   */
  public static fromCohortName(name: string): ICohort {
    return { cohortName: name };
  }

  public readonly cohortName: string;

  public constructor(scope: Construct, id: string, private readonly props: CohortProps = {}) {
    super(scope, id);
    checkProps(this, 'CohortProps', props);
    this.cohortName = props.name ?? Names.toDnsLabel(this, { includeHash: false });
    clusterObject(this, 'Resource', {
      apiVersion: `${KUEUE_GROUP}/${KUEUE_VERSION}`,
      kind: 'Cohort',
      metadata: { name: this.cohortName },
      spec: Lazy.any({ produce: () => constructCohortSpec(this._toSpec()) }),
    });
    reportAtSynth(this, `Cohort '${this.cohortName}'`, () => validateCohort(this._toSpec()));
  }

  /** @internal */
  public _toSpec(): CohortSpec {
    const { parent, resourceGroups = [], fairSharingWeight } = this.props;
    return { name: this.cohortName, parent: parent?.cohortName, resourceGroups: resourceGroupSpecs(resourceGroups), fairWeight: fairSharingWeight };
  }

  /** Groups of quotas. @internal */
  public get _groups(): readonly ResourceGroup[] {
    return this.props.resourceGroups ?? [];
  }
}
