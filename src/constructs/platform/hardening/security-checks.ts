import { Construct, type IConstruct } from 'constructs';
import { renderedObjects } from '../../policy/rendered-objects';
import { checkProps } from '../../props/check-props';
import { securityFindings } from '../../../manifests/hardening/findings';
import { SECURITY_CHECKS, type SecurityCheckId, type CheckedObject } from '../../../model/hardening/checks';
import { formatViolation } from '../../../model/violations';

/** Key of what is accepted, among a construct's metadata. */
const ACCEPTED = 'trainyard:accepted-security-finding';

/** Large, and without anything that is looked for. */
const NOT_CHECKED = ['ConfigMap', 'Secret', 'CustomResourceDefinition'];

/** Properties of `SecurityChecks`. */
export interface SecurityChecksProps {
  /** What is looked through. @default - the whole app */
  readonly over?: IConstruct;
  /** Whether what is found fails the synth. Otherwise `report` has it. @default true */
  readonly failsSynth?: boolean;
  /** Checks that are asked. @default - all */
  readonly checks?: SecurityCheck[];
  /** Namespaces that a service mesh puts sidecars into, in addition to those that the program labels so. @default - none */
  readonly meshNamespaces?: string[];
}

/** Something that a check found. */
export interface SecurityFinding {
  /** The check. */
  readonly check: SecurityCheck;
  /** Kind and name of the object: `Deployment web`. */
  readonly object: string;
  /** Path of the construct. */
  readonly construct: string;
  /** Where, what was found there, the rule, and why. */
  readonly message: string;
  /** Why it is accepted. @default - it is not */
  readonly accepted?: string;
}

/**
 * Checks all objects of a program, whichever construct creates them: the restricted Pod Security Standard, seccomp, read-only root file systems,
 * requests, tokens, permissions, disruption budgets, and sidecars in training pods. For a training job, it checks the pods that the operator creates.
 *
 * To accept a finding, give the reason: `SecurityChecks.accept(construct, SecurityCheck.READ_ONLY_ROOT, 'writes its cache next to its programs')`.
 * @see docs/policy.md
 * @example
 * import { Size } from 'cdk8s';
 * import { Cpu } from 'cdk8s-plus-28';
 * import { Framework, TrainingJob } from 'trainyard';
 * import { SecurityCheck, SecurityChecks } from 'trainyard/platform';
 *
 * new SecurityChecks(chart, 'Security');
 * SecurityChecks.accept(chart, SecurityCheck.READ_ONLY_ROOT, 'training scripts write caches next to their programs');
 * new TrainingJob(chart, 'Train', {
 *   framework: Framework.pytorch(),
 *   image: 'registry.example/train:1',
 *   replicas: 2,
 *   resources: { cpu: Cpu.units(8), memory: Size.gibibytes(32) },
 *   security: { restricted: true, runAsUser: 1000 },
 * });
 */
export class SecurityChecks extends Construct {
  /**
   * Accepts what a check finds in the objects of a construct.
   * @param construct a chart, a job, any construct: it holds for everything below
   * @param check the check
   * @param reason why; it cannot be empty
   */
  public static accept(construct: IConstruct, check: SecurityCheck, reason: string): void {
    if (reason.trim() === '') {
      throw new Error(`SecurityChecks at '${construct.node.path}': what '${check}' reports is accepted without a reason. Add a reason.`);
    }
    construct.node.addMetadata(ACCEPTED, { check, reason });
  }

  private readonly over: IConstruct;

  public constructor(scope: Construct, id: string, private readonly props: SecurityChecksProps = {}) {
    super(scope, id);
    checkProps(this, 'SecurityChecksProps', props);
    this.over = props.over ?? this.node.root;
    this.node.addValidation({
      validate: () => (props.failsSynth === false ? [] : this.report().filter(({ accepted }) => accepted === undefined)
        .map(({ object, construct, message }) => `${object} (${construct}): ${message}`)),
    });
  }

  /** What is found, with what is accepted and why. */
  public report(): SecurityFinding[] {
    const { checks, meshNamespaces } = this.props;
    const rendered = renderedObjects(this.over, ({ kind }) => !NOT_CHECKED.includes(kind));
    const constructs = new Map(rendered.map(({ construct, manifest }) => [manifest as unknown as CheckedObject, construct]));
    return securityFindings([...constructs.keys()], meshNamespaces).flatMap(({ object, findings }) => {
      const construct = constructs.get(object)!;
      return findings.filter(({ check }) => checks === undefined || checks.includes(check as SecurityCheck)).map((finding) => ({
        check: finding.check as SecurityCheck,
        object: `${object.kind} ${object.metadata.name}`,
        construct: construct.node.path,
        message: `${finding.check}: ${formatViolation(finding)} Otherwise ${SECURITY_CHECKS[finding.check].why}.`,
        accepted: reasonFor(construct, finding.check),
      }));
    });
  }
}

/** Why a finding is accepted: the nearest construct that says so. */
function reasonFor(construct: IConstruct, check: SecurityCheckId): string | undefined {
  const accepted = [...construct.node.scopes].reverse()
    .flatMap(({ node }) => node.metadata.filter(({ type }) => type === ACCEPTED).map(({ data }) => data as { check: string; reason: string }));
  return accepted.find((one) => one.check === check)?.reason;
}

/** What `SecurityChecks` looks for. */
export enum SecurityCheck {
  /** Containers that are root on the node. */
  PRIVILEGED = 'privileged',
  /** Pods that see the node's processes or network. */
  HOST_NAMESPACES = 'host-namespaces',
  /** Volumes that are paths of the node. */
  HOST_PATHS = 'host-paths',
  /** Ports of the node. */
  HOST_PORTS = 'host-ports',
  /** Capabilities that are not dropped, or added. */
  CAPABILITIES = 'capabilities',
  /** Containers whose programs can get more rights. */
  PRIVILEGE_ESCALATION = 'privilege-escalation',
  /** Containers that may run as root. */
  RUN_AS_NON_ROOT = 'run-as-non-root',
  /** Containers that may make every system call. */
  SECCOMP = 'seccomp',
  /** Containers that can write to their own programs. */
  READ_ONLY_ROOT = 'read-only-root',
  /** Containers that do not say what they need. */
  RESOURCE_REQUESTS = 'resource-requests',
  /** Tokens that nothing asked for. */
  SERVICE_ACCOUNT_TOKEN = 'service-account-token',
  /** Rights with a wildcard, and cluster-admin. */
  WILDCARD_RBAC = 'wildcard-rbac',
  /** Services of several replicas without a PodDisruptionBudget. */
  DISRUPTION_BUDGET = 'disruption-budget',
  /** Sidecars in pods that have to end. */
  MESH_INJECTION = 'mesh-injection',
}
