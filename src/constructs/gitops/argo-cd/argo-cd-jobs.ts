import { Construct, type IConstruct } from 'constructs';
import { jobFindings } from '../../../model/argo-cd/job-findings';
import { jobKindOf } from '../../../model/kinds/registry';
import { formatViolation } from '../../../model/violations';
import { renderedObjects } from '../../policy/rendered-objects';
import { checkProps } from '../../props/check-props';

/** Properties of `ArgoCdJobs`. */
export interface ArgoCdJobsProps {
  /** Constructs that Argo CD syncs. @default - the whole app */
  readonly over?: IConstruct;
  /** Whether problems fail the synth. If not, read them with `report`. @default true */
  readonly failsSynth?: boolean;
}

/**
 * Checks all jobs of a program that Argo CD syncs, whichever construct creates them. It reports jobs that delete themselves, which Argo CD would
 * create again and again, and jobs whose `suspend` both Kueue and Git would set.
 * @see docs/platform/gitops.md
 * @example
 * import { ArgoCdJobs } from 'trainyard/gitops';
 *
 * new ArgoCdJobs(chart, 'ArgoCdJobs', { over: chart });
 */
export class ArgoCdJobs extends Construct {
  private readonly over: IConstruct;

  public constructor(scope: Construct, id: string, props: ArgoCdJobsProps = {}) {
    super(scope, id);
    checkProps(this, 'ArgoCdJobsProps', props);
    this.over = props.over ?? this.node.root;
    this.node.addValidation({ validate: () => (props.failsSynth === false ? [] : this.report()) });
  }

  /** Problems that were found. */
  public report(): string[] {
    return renderedObjects(this.over, (object) => jobKindOf(object) !== undefined).flatMap(({ construct, manifest }) => (
      jobFindings(manifest).map((violation) => `${manifest.kind} '${manifest.metadata.name}' (${construct.node.path}) under Argo CD: ${formatViolation(violation)}`)));
  }
}
