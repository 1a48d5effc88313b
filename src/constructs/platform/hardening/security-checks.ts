import { Construct, type IConstruct } from 'constructs';
import { renderedObjects } from '../../policy/rendered-objects';
import { checkProps } from '../../props/check-props';
import { securityFindings } from '../../../manifests/hardening/findings';
import { SECURITY_CHECKS, type SecurityCheckId, type CheckedObject } from '../../../model/hardening/checks';
import { formatViolation } from '../../../model/violations';

/** Key of accepted findings in a construct's metadata. */
const ACCEPTED = 'trainyard:accepted-security-finding';

/** Large kinds that no check concerns. */
const NOT_CHECKED = ['ConfigMap', 'Secret', 'CustomResourceDefinition'];

/** Properties of `SecurityChecks`. */
export interface SecurityChecksProps {
  /** Constructs to check. @default - the whole app */
  readonly over?: IConstruct;
  /** Whether findings fail the synth. If not, read them with `report`. @default true */
  readonly failsSynth?: boolean;
  /** Checks to run. @default - all */
  readonly checks?: SecurityCheck[];
  /** Namespaces with sidecar injection by a service mesh, in addition to those that the program labels. @default - none */
  readonly meshNamespaces?: string[];
}

/** A finding of a check. */
export interface SecurityFinding {
  /** The check. */
  readonly check: SecurityCheck;
  /** Kind and name of the object: `Deployment web`. */
  readonly object: string;
  /** Path of the construct. */
  readonly construct: string;
  /** Field, value, rule and reason. */
  readonly message: string;
  /** Reason for accepting it. @default - it is not accepted */
  readonly accepted?: string;
}

/**
 * Checks all objects of a program, whichever construct creates them: the restricted Pod Security Standard, seccomp, read-only root file systems,
 * requests, tokens, permissions, disruption budgets, and sidecars in training pods. For a training job, it checks the pods that the operator creates.
 *
 * To accept a finding, give the reason: `SecurityChecks.accept(construct, SecurityCheck.READ_ONLY_ROOT, 'writes its cache next to its programs')`.
 * @see docs/teams/policy.md
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
   * Accepts the findings of a check in the objects of a construct and everything below it.
   * @param construct a chart, a job, any construct
   * @param check the check
   * @param reason reason, not empty
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

  /** All findings, including accepted ones with their reasons. */
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

/** Reason for accepting a finding, from the nearest construct that accepts it. */
function reasonFor(construct: IConstruct, check: SecurityCheckId): string | undefined {
  const accepted = [...construct.node.scopes].reverse()
    .flatMap(({ node }) => node.metadata.filter(({ type }) => type === ACCEPTED).map(({ data }) => data as { check: string; reason: string }));
  return accepted.find((one) => one.check === check)?.reason;
}

/** Checks of `SecurityChecks`. */
export enum SecurityCheck {
  /** Privileged containers. */
  PRIVILEGED = 'privileged',
  /** Pods in the node's process, IPC or network namespace. */
  HOST_NAMESPACES = 'host-namespaces',
  /** Volumes with paths of the node. */
  HOST_PATHS = 'host-paths',
  /** Ports of the node. */
  HOST_PORTS = 'host-ports',
  /** Capabilities that are added, or not dropped. */
  CAPABILITIES = 'capabilities',
  /** Containers that allow privilege escalation. */
  PRIVILEGE_ESCALATION = 'privilege-escalation',
  /** Containers that may run as root. */
  RUN_AS_NON_ROOT = 'run-as-non-root',
  /** Containers without a seccomp profile. */
  SECCOMP = 'seccomp',
  /** Containers with a writable root file system. */
  READ_ONLY_ROOT = 'read-only-root',
  /** Containers without resource requests. */
  RESOURCE_REQUESTS = 'resource-requests',
  /** Service account tokens that are mounted by default. */
  SERVICE_ACCOUNT_TOKEN = 'service-account-token',
  /** Permissions with a wildcard, and cluster-admin. */
  WILDCARD_RBAC = 'wildcard-rbac',
  /** Services of several replicas without a PodDisruptionBudget. */
  DISRUPTION_BUDGET = 'disruption-budget',
  /** Sidecars in pods that must terminate. */
  MESH_INJECTION = 'mesh-injection',
}
