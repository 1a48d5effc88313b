import { ApiObject, Lazy, Names } from 'cdk8s';
import { Construct, type IConstruct } from 'constructs';
import { MutatingPolicyVersion, PolicyEnforcement, type JobPolicyProps } from './job-policy-props';
import { renderedObjects, type RenderedObject } from './rendered-objects';
import { constructAdmissionPolicies, constructDefaultsPolicy, type PolicyAction } from '../../manifests/policy/admission-policy';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../model/labels';
import { policyProblems, withDefaults } from '../../model/policy/evaluate';
import { concerns, validateJobPolicy, type JobPolicySpec } from '../../model/policy/spec';
import { policySubject } from '../../model/policy/subject';
import { formatViolation } from '../../model/violations';
import { clusterObject } from '../rendering/objects';
import { TrainingJob } from '../training-job/training-job';
import { checkProps } from '../props/check-props';

/** Kinds without pods that may be large, and need no check. With the group, because a Knative Service has pods. */
const WITHOUT_PODS = [
  ...['ConfigMap', 'Secret', 'Service', 'ServiceAccount'].map((kind) => `/${kind}`), 'apiextensions.k8s.io/CustomResourceDefinition',
  ...['ClusterRole', 'Role', 'RoleBinding', 'ClusterRoleBinding'].map((kind) => `rbac.authorization.k8s.io/${kind}`),
];

/**
 * Rules of an organisation for jobs. Synth checks the program, and the API server checks applied objects, with the same messages.
 * @see docs/teams/policy.md
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 * @example
 * import { Duration } from 'cdk8s';
 * import { JobPolicy } from 'trainyard';
 *
 * new JobPolicy(chart, 'Deadlines', { name: 'deadlines', maxDeadline: Duration.days(7) });
 */
export class JobPolicy extends Construct {
  /** Name of the policy. */
  public readonly policyName: string;

  private readonly over: IConstruct;

  public constructor(scope: Construct, id: string, private readonly props: JobPolicyProps) {
    super(scope, id);
    checkProps(this, 'JobPolicyProps', props);
    this.policyName = props.name ?? Names.toDnsLabel(this, { includeHash: false });
    this.over = props.over ?? this.node.root;
    const spec = this.toSpec();
    const { enforcement = PolicyEnforcement.DENY, mutatingPolicyVersion = MutatingPolicyVersion.V1 } = props;
    if (enforcement !== PolicyEnforcement.SYNTH_ONLY && validateJobPolicy(spec).length === 0) {
      const actions = enforcement as string as PolicyAction;
      [...constructDefaultsPolicy(spec, mutatingPolicyVersion), ...constructAdmissionPolicies(spec, [actions])].forEach((manifest) => {
        const { apiVersion, kind, metadata, ...fields } = manifest as typeof manifest & { readonly spec: object };
        const suffix = metadata.name.slice(this.policyName.length + 1);
        clusterObject(this, kind.endsWith('Binding') ? `${suffix}-binding` : suffix, {
          apiVersion, kind, metadata: { name: metadata.name }, spec: Lazy.any({ produce: () => fields.spec }),
        });
      });
    }
    this.node.addValidation({ validate: () => this.validate() });
  }

  private validate(): string[] {
    const policy = this.toSpec();
    const own = validateJobPolicy(policy).map((violation) => `JobPolicy '${this.policyName}': ${formatViolation(violation)}`);
    return own.length > 0 ? own : this.problems(policy);
  }

  private problems(policy: JobPolicySpec): string[] {
    const objects = renderedObjects(this.over, (object) => !WITHOUT_PODS.includes(`${object.apiGroup === 'core' ? '' : object.apiGroup}/${object.kind}`) && concerns(policy, object.metadata.namespace));
    // A job on another engine is checked as a job, and as the rendered object: the same problem of both is reported once.
    const reported = new Set<string>();
    return objects.flatMap(({ construct, manifest }) => {
      const job = jobOf(construct);
      const forms = [...job === undefined ? [] : [asTrainingJob(job, manifest)], manifest];
      return forms.flatMap((object) => {
        const written = policySubject(object);
        // Defaults are only set in objects of our own kind.
        const subject = written && policy.defaults && manifest.kind === TRAINING_JOB_KIND ? withDefaults(written, policy.defaults) : written;
        return subject === undefined ? [] : policyProblems(policy, subject).map((problem) => ({ problem, subject }));
      }).filter(({ problem }) => {
        const key = `${(job ?? construct).node.path}\n${problem}`;
        return !reported.has(key) && reported.add(key);
      }).map(({ problem, subject }) => `JobPolicy '${this.policyName}': ${subject.kind} '${subject.name}' (${construct.node.path}): ${problem}`);
    });
  }

  private toSpec(): JobPolicySpec {
    const { maxDeadline, defaults, enforcement, over: _over, mutatingPolicyVersion: _version, ...rules } = this.props;
    const { labels, deadline, queueName } = defaults ?? {};
    return {
      ...rules,
      name: this.policyName,
      maxDeadlineSeconds: maxDeadline?.toSeconds(),
      // Without a policy in the API server, no defaults are set.
      defaults: defaults && enforcement !== PolicyEnforcement.SYNTH_ONLY ? { labels, deadlineSeconds: deadline?.toSeconds(), queueName } : undefined,
    };
  }
}

/** The job that is rendered to this object. */
function jobOf(construct: ApiObject): TrainingJob | undefined {
  const { scope } = construct.node;
  return scope instanceof TrainingJob && construct.node.id === 'Resource' ? scope : undefined;
}

function asTrainingJob(job: TrainingJob, { metadata }: RenderedObject['manifest']): object {
  return { apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, metadata, spec: job._toSpec() };
}
