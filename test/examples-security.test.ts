/**
 * Security checks over everything that the examples write. What is accepted is accepted for a reason, which docs/teams/policy.md shows; what nothing
 * needs any more has to go from the list.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { EXAMPLE_NAMES, synthesizeExample } from './support/examples';
import { securityFindings } from '../src/manifests/hardening/findings';
import type { SecurityCheckId, SecurityFindingSpec, CheckedObject } from '../src/model/hardening/checks';

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
    reason: 'training scripts write caches and compiled kernels next to their programs; use `podTemplate` to make the root read-only if the image allows it',
  },
  {
    objects: /^(MLTrainingJob|TrainingRuntime) /,
    checks: ['run-as-non-root', 'privilege-escalation', 'capabilities'],
    whose: 'training jobs without `security.restricted`',
    reason: 'most training images run as root; the setting is one line, and a team can require it (`PodSecurityLevel.RESTRICTED`)',
  },
  {
    objects: /^MLTrainingJob /,
    checks: ['resource-requests'],
    whose: 'training jobs without `resources`',
    reason: 'what a job needs depends on the job; a LimitRange of its [team](tenancy.md) sets requests for jobs without them',
  },
  {
    objects: /^Ray(Cluster|Job|Service) /,
    checks: ['run-as-non-root', 'read-only-root', 'capabilities'],
    whose: 'Ray pods',
    reason: 'the image sets the user, and Ray writes logs, environments and spilled objects into it; use `podSpec` to restrict it if the image allows it',
  },
  {
    objects: /^Ray(Cluster|Job|Service) /,
    checks: ['service-account-token'],
    whose: 'Ray heads with an autoscaler',
    reason: 'the autoscaler uses the Kubernetes API, with an account that KubeRay creates for it',
  },
  {
    objects: /^(SparkApplication|ScheduledSparkApplication|SparkConnect) /,
    checks: ['run-as-non-root', 'read-only-root', 'capabilities'],
    whose: 'Spark drivers and executors',
    reason: 'the image sets the user, and Spark and its programs write into their working directory',
  },
  {
    objects: /^(Cluster)?ServingRuntime /,
    checks: ['service-account-token', 'run-as-non-root', 'read-only-root', 'capabilities', 'resource-requests'],
    whose: 'runtimes of model servers',
    reason: 'KServe merges account and resources of each service into them, a service without an account has no token, and the image sets the user',
  },
  {
    objects: /^Notebook /,
    checks: ['run-as-non-root', 'read-only-root', 'privilege-escalation', 'capabilities'],
    whose: 'notebooks',
    reason: 'users install packages in them, and server images start as root or with setuid programs',
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

test('docs/teams/policy.md shows what is accepted, and why', () => {
  const page = readFileSync(path.join(__dirname, '..', 'docs', 'teams', 'policy.md'), 'utf8');
  for (const { whose, checks, reason } of ACCEPTED) {
    expect(page).toContain(`| ${whose} | ${checks.map((check) => `\`${check}\``).join(', ')} | ${reason} |`);
  }
});
