/**
 * The promise of the engines whose driver starts the programs: a script finds the same variables as on the operator, with the same values, but for
 * addresses. The plan is read by the driver's own Python.
 */
import fc from 'fast-check';
import { launchedAddresses, launchPlan, planTemplate } from '../../../../src/manifests/engines/launched/plan';
import type { EnginePods } from '../../../../src/manifests/engines/indexed/engine-pods';
import { resolveTrainingJob } from '../../../../src/model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../../src/model/training-job/spec';
import { validSpec } from '../../../model/training-job/arbitraries';
import { launchedPrograms, someAddresses, variablesOf, wantedVariables, type LaunchedCase } from '../support/launched-programs';

function planned(spec: TrainingJobSpec) {
  const job = resolveTrainingJob('net', spec);
  const pods: EnginePods = { job, addresses: launchedAddresses(), ownership: {}, createsPodGroup: false };
  const templates = job.roles.map((role) => planTemplate(pods, [role]));
  const groups = templates.flatMap((template) => template.groups.map((group) => ({ ...group, spec: template.spec })));
  return { job, pods, groups, plan: launchPlan(job, templates), addresses: someAddresses(job) };
}

const PYTORCH: TrainingJobSpec = { framework: 'pytorch', image: 'image', replicas: 3, command: ['python', 'train.py'] };

async function programs(spec: TrainingJobSpec, attempt = 0) {
  const { job, groups, plan, addresses } = planned(spec);
  const cases: LaunchedCase[] = [];
  for (const { ordinal, role } of job.replicas) {
    const { spec: pod } = groups.find(({ group }) => group.name === role)!;
    cases.push({ plan, ordinal, attempt, addresses, base: await variablesOf(pod, pod.containers[0].env) });
  }
  return launchedPrograms(cases);
}

describe('a plan', () => {
  test('says for every replica of any job what the operator would', async () => {
    const cases: LaunchedCase[] = [];
    const wanted: object[] = [];
    for (const arbitrary of fc.sample(validSpec, { numRuns: 120, seed: 7 })) {
      const { job, groups, plan, addresses } = planned({ ...arbitrary, command: ['run'] });
      for (const { group, replicas, spec: pod } of groups) {
        for (const replica of new Set([replicas[0], replicas[replicas.length - 1]])) {
          const base = await variablesOf(pod, pod.containers[0].env);
          cases.push({ plan, ordinal: replica.ordinal, attempt: 0, addresses, base });
          wanted.push({ name: `${replica.role}-${replica.index}`, role: group.name, env: await wantedVariables(job, replica, addresses, pod) });
        }
      }
    }
    expect(cases.length).toBeGreaterThan(150);
    expect(launchedPrograms(cases).map(({ name, env }) => ({ name, role: name.replace(/-\d+$/, ''), env }))).toEqual(wanted);
  });

  test('leaves to the pods what is the same in all of them', () => {
    const { groups } = planned(PYTORCH);
    const own = Object.fromEntries(groups[1].spec.containers[0].env!.map(({ name, value }) => [name, value]));
    expect(own).toMatchObject({ ROLE: 'worker', WORLD_SIZE: '3', MASTER_PORT: '29500' });
    expect(groups[1].group.variables.map(([name]) => name))
      .toEqual(['RANK', 'MASTER_ADDR', 'TRAINYARD_REPLICA_INDEX', 'TRAINYARD_ATTEMPT', 'PET_NODE_RANK', 'PET_MASTER_ADDR']);
    expect(groups[1].group.variables[0][1]).toEqual([[0, 1, [1]]]);
  });

  test('tells the attempt, also where another variable refers to it', async () => {
    const [, worker] = await programs({ ...PYTORCH, env: [{ name: 'RUN', value: 'run-$(RANK)-$(TRAINYARD_ATTEMPT)-$$(RANK)-$(NOBODY)' }] }, 2);
    expect(worker.env).toMatchObject({ TRAINYARD_ATTEMPT: '2', RUN: 'run-1-2-$(RANK)-$(NOBODY)' });
  });

  test('expands a command as a kubelet would, with the variables of the pod and of the replica', async () => {
    const [, worker] = await programs({ ...PYTORCH, command: ['run', '--rank=$(RANK)', '$$(RANK)'], args: ['$(WORLD_SIZE)', '$(MASTER_ADDR):$(MASTER_PORT)', '$(HOME)'] });
    expect(worker.command).toEqual(['run', '--rank=1', '$(RANK)', '3', '10.0.0.0:29500', '$(HOME)']);
  });

  test('puts an address with colons into brackets where a port follows', () => {
    const { plan } = planned(PYTORCH);
    const jax = planned({ ...PYTORCH, framework: 'jax' });
    const addresses = { 'master-0': 'fd00::1', 'worker-0': 'fd00::2' };
    const [pytorch, inJax] = launchedPrograms([plan, jax.plan].map((either) => ({ plan: either, ordinal: 1, attempt: 0, addresses, base: {} })));
    expect(pytorch.env.MASTER_ADDR).toBe('fd00::1');
    expect(inJax.env.JAX_COORDINATOR_ADDRESS).toBe('[fd00::2]:29500');
  });

  test('keeps a variable that only one replica has from the others', async () => {
    const [first, second] = await programs({ ...PYTORCH, framework: 'paddle' });
    expect(first.env).toHaveProperty('POD_IP_DUMMY');
    expect(second.env).not.toHaveProperty('POD_IP_DUMMY');
  });

  test('keeps names that no shell can hold', async () => {
    const [first] = await programs({ ...PYTORCH, hyperparameters: { 'learning.rate': '0.1' } });
    expect(first.env['learning.rate']).toBe('0.1');
    expect(planned({ ...PYTORCH, hyperparameters: { 'learning.rate': '0.1' } }).groups[0].group.variables.map(([name]) => name)).toContain('learning.rate');
  });

  test('counts what makes the job succeed', () => {
    expect(planned(PYTORCH).plan.success).toEqual({ ordinals: [[0, 0]], one: false });
    expect(planned({ ...PYTORCH, framework: 'plain' }).plan.success).toEqual({ ordinals: [[0, 2]], one: false });
    expect(planned({ ...PYTORCH, runPolicy: { successPolicy: 'AnyWorker' } }).plan.success).toEqual({ ordinals: [[0, 2]], one: true });
  });
});
