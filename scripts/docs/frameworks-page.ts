/** docs/jobs/frameworks.md, written from the contracts of the model, so that it cannot tell anything else. */
import { PodAddressBook } from '../../src/model/frameworks/address-book';
import type { FrameworkContract } from '../../src/model/frameworks/contract';
import { frameworkContracts } from '../../src/model/frameworks/registry';
import { replicaEnvironment } from '../../src/model/training-job/environment/environment';
import { resolveTrainingJob, type ResolvedTrainingJob } from '../../src/model/training-job/replicas/resolve';
import { DEFAULT_PORT } from '../../src/model/training-job/spec';
import { SUCCESS_POLICIES, type SuccessPolicy } from '../../src/model/training-job/run-policy';
import type { EnvVarSpec, RoleSpec, TrainingJobSpec } from '../../src/model/training-job/spec';
import { validateTrainingJob } from '../../src/model/training-job/validation/validation';
import { formatViolation } from '../../src/model/violations';

/** Name of the job in the examples. */
const JOB_NAME = 'demo';

const SUCCESS: { readonly [policy in SuccessPolicy]: string } = {
  Coordinator: 'its coordinator has succeeded',
  AllWorkers: 'all replicas with a rank have succeeded',
  AllReplicas: 'every replica has succeeded',
  AnyWorker: 'any replica with a rank has succeeded',
};

/** Jobs in the long form whose environment the short form does not show. */
const LONG_FORMS: { readonly [framework: string]: readonly RoleSpec[] } = {
  tensorflow: [{ name: 'chief' }, { name: 'worker', replicas: 2 }, { name: 'ps' }, { name: 'evaluator' }],
  mxnet: [{ name: 'scheduler' }, { name: 'server', replicas: 2 }, { name: 'worker', replicas: 2 }],
  paddle: [{ name: 'master' }, { name: 'worker', replicas: 2 }],
};

/** Renders the page. */
export function frameworksPage(): string {
  const contracts = frameworkContracts();
  const common = commonVariables(contracts);
  return [
    '<!-- Written by `npm run docs` from src/model/frameworks. Change the contracts, not this file. -->',
    '# Frameworks',
    '',
    'What each `framework` of a training job means: its roles, what its replicas find in their environment, and when the job has succeeded.',
    'Both generations of Kubeflow\'s variables are set where they do not conflict, so a script written for either runs unchanged.',
    '',
    '## What every framework gets',
    '',
    ...table(['Variable', 'Value', 'Meaning'], COMMON_MEANINGS.map(([name, value, meaning]) => [/^[A-Z_]+$/.test(name) ? code(name) : name, value, meaning])),
    '',
    'On pods, `HOST` of a master is `NAME-master` and of all others `POD.NAME`, through headless services. In `trainyard run` it is',
    '127.0.0.1 and every replica has ports of its own. The coordinator is the first replica of the first role in a framework\'s table that the',
    `job has; it listens on ${DEFAULT_PORT} unless the job says \`port\`.`,
    '',
    ...contracts.flatMap((contract) => section(contract, common)),
    '',
  ].join('\n').replace(/\n{3,}/g, '\n\n').trimEnd() + '\n';
}

const COMMON_MEANINGS: readonly (readonly [string, string, string])[] = [
  ['ROLE', 'the role\'s name', ''],
  ['RANK', '0, 1, …', 'global rank; not on roles without one'],
  ['WORLD_SIZE', 'number', 'replicas with a rank; for PyTorch times `nprocPerNode` where that is a number'],
  ['MASTER_ADDR', '`HOST` of the coordinator', ''],
  ['MASTER_PORT', String(DEFAULT_PORT), 'or the job\'s `port`'],
  ['PYTHONUNBUFFERED', '1', 'so that logs are complete when a process dies; the job may change it'],
  ['TRAINYARD_JOB_NAME', 'the job\'s name', ''],
  ['TRAINYARD_REPLICA_INDEX', '0, 1, …', 'index in the role'],
  ['TRAINYARD_ATTEMPT', '0, 1, …', 'how often all replicas were restarted'],
  ['CHECKPOINT_PATH', 'path or URL', 'when the job has a checkpoint'],
  ['RESUME_FROM', 'path or URL', 'when the job says so'],
  ['each hyperparameter', 'its text', 'under its own name, on all replicas'],
  ['TRAINYARD_HYPERPARAMETERS', 'JSON object of strings', 'all of them together'],
];

/** Variables that the table on top explains. Checked against what replicas really get. */
function commonVariables(contracts: readonly FrameworkContract[]): ReadonlySet<string> {
  const plain = contracts.find((contract) => contract.name === 'plain')!;
  const given = environmentOf(resolved(plain, {}), 0).map((entry) => entry.name);
  const explained = COMMON_MEANINGS.map(([name]) => name);
  const missing = given.filter((name) => !explained.includes(name));
  if (missing.length > 0) {
    throw new Error(`docs/jobs/frameworks.md: the table of common variables lacks ${missing.join(', ')}. Add them to COMMON_MEANINGS.`);
  }
  return new Set(given);
}

function section(contract: FrameworkContract, common: ReadonlySet<string>): string[] {
  const short = resolved(contract, {});
  const long = LONG_FORMS[contract.name];
  return [
    `## ${contract.title}`,
    '',
    `\`framework: ${contract.name}\`. The job succeeds when ${SUCCESS[short.successPolicy]}${successExceptions(contract, short)}. ${restarts(contract)}`,
    contract.launcherGivesRanks ? 'Its launcher numbers the processes, so replicas get no `RANK`, `WORLD_SIZE`, `MASTER_ADDR` and `MASTER_PORT`.' : '',
    ...contract.roles.filter(({ resources }) => resources !== undefined).map(({ name, resources }) => (
      `A \`${name}\` without \`resources\` of its own asks for ${resources!.cpu} cpu and ${resources!.memory} of memory, whatever the job's are.`)),
    '',
    ...roles(contract),
    '',
    ...ports(contract),
    '',
    ...environment(`Environment with \`replicas: ${short.spec.replicas}\``, short, common),
    '',
    ...(long ? environment(`Environment with roles ${long.map(roleText).join(', ')}`, resolved(contract, { roles: long }), common) : []),
    '',
  ];
}

function restarts(contract: FrameworkContract): string {
  return contract.restartScope === 'gang'
    ? 'When a replica fails and the restart policy allows it, all replicas are restarted.'
    : 'When a replica fails and the restart policy allows it, that replica alone is restarted.';
}

/** What the long form changes about success. */
function successExceptions(contract: FrameworkContract, short: ResolvedTrainingJob): string {
  const others = [LONG_FORMS[contract.name], contract.roles.some((role) => role.name === 'master') && workersOnly(contract)]
    .filter((roles): roles is RoleSpec[] => Boolean(roles))
    .map((roles) => ({ roles, policy: resolved(contract, { roles }).successPolicy }))
    .filter(({ policy }) => policy !== short.successPolicy && SUCCESS_POLICIES.includes(policy));
  return others.map(({ roles, policy }) => `; with roles ${roles.map((role) => role.name).join(' and ')} when ${SUCCESS[policy]}`).join('');
}

function workersOnly(contract: FrameworkContract): RoleSpec[] | undefined {
  const roles = [{ name: 'worker', replicas: 2 }];
  return isValid(contract, { roles }) ? roles : undefined;
}

function roles(contract: FrameworkContract): string[] {
  if (contract.roles.length === 0) {
    return ['Roles are named by the job. In the short form all replicas are of role `worker`.'];
  }
  const inShortForm = contract.shortForm(3);
  return table(['Role', 'Replicas', 'Rank', 'Required in the long form', 'With `replicas: 3`'], contract.roles.map((role) => [
    code(role.name),
    role.singleton ? '1' : 'any',
    role.ranked ?? true ? 'yes' : 'no',
    role.required ? 'yes' : 'no',
    String(inShortForm.find((entry) => entry.name === role.name)?.replicas ?? '-'),
  ]));
}

function ports({ ports: further }: FrameworkContract): string[] {
  return further.length === 0 ? [] : [
    `Further ports: ${further.map((port) => `${port.port} (\`${port.name}\`) on ${port.roles?.join(', ') ?? 'all replicas'}`).join('; ')}.`,
  ];
}

/** A row for each value that a variable has, with the replicas that have it. */
function environment(title: string, job: ResolvedTrainingJob, common: ReadonlySet<string>): string[] {
  const environments = job.replicas.map((replica) => environmentOf(job, replica.ordinal).filter((entry) => !common.has(entry.name)));
  const names = [...new Set(environments.flatMap((env) => env.map((entry) => entry.name)))];
  if (names.length === 0) {
    return [];
  }
  const rows = names.flatMap((name) => {
    const podsByValue = new Map<string, string[]>();
    environments.forEach((env, ordinal) => {
      const entry = env.find((candidate) => candidate.name === name);
      if (entry) {
        const value = valueText(entry);
        podsByValue.set(value, [...podsByValue.get(value) ?? [], code(job.replicas[ordinal].podName)]);
      }
    });
    return [...podsByValue].map(([value, pods]) => [code(name), pods.length === job.replicas.length ? 'all' : pods.join(', '), value]);
  });
  return [`${title}:`, '', ...table(['Variable', 'Replicas', 'Value'], rows)];
}

function roleText(role: RoleSpec): string {
  return `\`${role.name}\`${(role.replicas ?? 1) > 1 ? ` × ${role.replicas}` : ''}`;
}

function valueText(entry: EnvVarSpec): string {
  if (entry.value !== undefined) {
    return entry.value === '' ? '(empty)' : code(entry.value);
  }
  const field = entry.valueFrom?.fieldRef as { readonly fieldPath: string } | undefined;
  return field ? `the pod's ${code(field.fieldPath)}` : code(JSON.stringify(entry.valueFrom));
}

function specOf(contract: FrameworkContract, more: Partial<TrainingJobSpec>): TrainingJobSpec {
  return { framework: contract.name, image: 'trainer:1', ...(more.roles ? {} : { replicas: 3 }), ...more };
}

function isValid(contract: FrameworkContract, more: Partial<TrainingJobSpec>): boolean {
  return validateTrainingJob(JOB_NAME, specOf(contract, more)).length === 0;
}

function resolved(contract: FrameworkContract, more: Partial<TrainingJobSpec>): ResolvedTrainingJob {
  const spec = specOf(contract, more);
  const violations = validateTrainingJob(JOB_NAME, spec);
  if (violations.length > 0) {
    throw new Error(`docs/jobs/frameworks.md: the example of ${contract.name} is no valid job: ${violations.map(formatViolation).join(' ')}`);
  }
  return resolveTrainingJob(JOB_NAME, spec);
}

function environmentOf(job: ResolvedTrainingJob, ordinal: number): EnvVarSpec[] {
  return replicaEnvironment({ job, replica: job.replicas[ordinal], addresses: new PodAddressBook(job.name) }, 0);
}

function code(text: string): string {
  return `\`${text}\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replace(/\|/g, '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}
