/**
 * Security checks over everything that the examples write. What is accepted is accepted for a reason, which docs/policy.md shows; what nothing needs
 * any more has to go from the list.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { EXAMPLE_NAMES, synthesizeExample } from './support/examples';
import { securityFindings } from '../src/manifests/hardening/findings';
import type { SecurityCheckId, SecurityFindingSpec } from '../src/model/hardening/checks';
import type { CheckedObject } from '../src/model/hardening/object-checks';

interface Accepted {
  /** `KIND NAME` of the objects. */
  readonly objects: RegExp;
  readonly checks: readonly SecurityCheckId[];
  readonly whose: string;
  readonly reason: string;
}

const ACCEPTED: readonly Accepted[] = [
  {
    objects: /^(MLTrainingJob|TrainingRuntime) /,
    checks: ['read-only-root'],
    whose: 'training jobs',
    reason: 'training scripts write caches and compiled kernels beside their programs; `podTemplate` makes the root read-only where an image allows it',
  },
  {
    objects: /^(MLTrainingJob|TrainingRuntime) /,
    checks: ['run-as-non-root', 'privilege-escalation', 'capabilities'],
    whose: 'training jobs without `security.restricted`',
    reason: 'most training images run as root; the switch is one line, and a team can be made to set it (`PodSecurityLevel.RESTRICTED`)',
  },
  {
    objects: /^MLTrainingJob /,
    checks: ['resource-requests'],
    whose: 'training jobs without `resources`',
    reason: 'what a job needs depends on the job; a LimitRange of its [team](tenancy.md) gives a part to those that do not say',
  },
  {
    objects: /^Ray(Cluster|Job|Service) /,
    checks: ['run-as-non-root', 'read-only-root', 'capabilities'],
    whose: 'pods of Ray',
    reason: 'the image decides on its user, and Ray writes logs, environments and spilled objects into it; `podSpec` says more where an image allows it',
  },
  {
    objects: /^Ray(Cluster|Job|Service) /,
    checks: ['service-account-token'],
    whose: 'heads of Ray with an autoscaler',
    reason: 'the autoscaler asks the Kubernetes API, by an account that KubeRay makes for it',
  },
  {
    objects: /^(SparkApplication|ScheduledSparkApplication|SparkConnect) /,
    checks: ['run-as-non-root', 'read-only-root', 'capabilities'],
    whose: 'drivers and executors of Spark',
    reason: 'the image decides on its user, and Spark and its programs write into their working directory',
  },
  {
    objects: /^(Cluster)?ServingRuntime /,
    checks: ['service-account-token', 'run-as-non-root', 'read-only-root', 'capabilities', 'resource-requests'],
    whose: 'runtimes of model servers',
    reason: 'KServe merges account and resources of each service into them, where a service without an account has no token, and the server\'s image decides on its user',
  },
  {
    objects: /^Notebook /,
    checks: ['run-as-non-root', 'read-only-root', 'privilege-escalation', 'capabilities'],
    whose: 'notebooks',
    reason: 'people install packages in them, and servers\' images start as root or by setuid programs',
  },
];

interface Found extends SecurityFindingSpec {
  readonly object: string;
}

const all: Found[] = [];
const isAccepted = ({ objects, checks }: Accepted, { object, check }: Found) => objects.test(object) && checks.includes(check);

/** As if a mesh put sidecars into all of their namespaces. */
function findingsOf(example: string): Found[] {
  const objects = [...synthesizeExample(`${example}/main.ts`).values()]
    .flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as CheckedObject | null)).filter((object) => object !== null);
  const namespaces = [...new Set(objects.map(({ metadata: { namespace = '' } }) => namespace))];
  return securityFindings(objects, namespaces).flatMap(({ object, findings }) => findings.map((finding) => ({ object: `${object.kind} ${object.metadata.name}`, ...finding })));
}

test.each(EXAMPLE_NAMES)('nothing is found in examples/%s but what is accepted', (example) => {
  const found = findingsOf(example);
  all.push(...found);
  const open = found.filter((finding) => !ACCEPTED.some((accepted) => isAccepted(accepted, finding)));
  expect(open.map(({ object, check, path: at }) => `${object}: ${check}: ${at}`)).toEqual([]);
});

test('everything that is accepted is still found', () => {
  expect(ACCEPTED.flatMap((accepted) => accepted.checks.filter((check) => !all.some((finding) => isAccepted({ ...accepted, checks: [check] }, finding))).map((check) => `${accepted.objects} ${check}`))).toEqual([]);
});

test('docs/policy.md shows what is accepted, and why', () => {
  const page = readFileSync(path.join(__dirname, '..', 'docs', 'policy.md'), 'utf8');
  for (const { whose, checks, reason } of ACCEPTED) {
    expect(page).toContain(`| ${whose} | ${checks.map((check) => `\`${check}\``).join(', ')} | ${reason} |`);
  }
});
