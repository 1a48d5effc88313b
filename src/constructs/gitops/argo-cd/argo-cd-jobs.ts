import { Construct, type IConstruct } from 'constructs';
import { jobFindings } from '../../../model/argo-cd/job-findings';
import { jobKindOf } from '../../../model/kinds/registry';
import { formatViolation } from '../../../model/violations';
import { renderedObjects } from '../../policy/rendered-objects';
import { checkProps } from '../../props/check-props';

/** Properties of `ArgoCdJobs`. */
export interface ArgoCdJobsProps {
  /** What Argo CD syncs. @default - the whole app */
  readonly over?: IConstruct;
  /** Whether what is found fails the synth. Otherwise `report` has it. @default true */
  readonly failsSynth?: boolean;
}

/**
 * Looks through the jobs of a program that Argo CD syncs, whoever made them: jobs that delete themselves and would be made again for ever, and jobs
 * whose suspension is Kueue's and Git's at once.
 * @see docs/gitops.md
 */
export class ArgoCdJobs extends Construct {
  private readonly over: IConstruct;

  public constructor(scope: Construct, id: string, props: ArgoCdJobsProps = {}) {
    super(scope, id);
    checkProps(this, 'ArgoCdJobsProps', props);
    this.over = props.over ?? this.node.root;
    this.node.addValidation({ validate: () => (props.failsSynth === false ? [] : this.report()) });
  }

  /** What is found. */
  public report(): string[] {
    return renderedObjects(this.over, (object) => jobKindOf(object) !== undefined).flatMap(({ construct, manifest }) => (
      jobFindings(manifest).map((violation) => `${manifest.kind} '${manifest.metadata.name}' (${construct.node.path}) under Argo CD: ${formatViolation(violation)}`)));
  }
}
