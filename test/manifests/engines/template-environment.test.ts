import fc from 'fast-check';
import {
  environmentOfReplica, fieldValues, templateEnvironment, templateHelpers, type NumberFields,
} from '../../../src/manifests/engines/template-environment';
import { PodAddressBook } from '../../../src/model/frameworks/address-book';
import { replicaEnvironment } from '../../../src/model/training-job/environment/environment';
import { replicasOfRole } from '../../../src/model/training-job/replicas/replicas';
import { resolveTrainingJob } from '../../../src/model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { validateTrainingJob } from '../../../src/model/training-job/validation/validation';
import { validSpec } from '../../model/training-job/arbitraries';

const INDEX = 'metadata.labels[\'index\']';
const GLOBAL = 'metadata.labels[\'global-index\']';
const ATTEMPT = 'metadata.labels[\'attempt\']';

/** What a template says of all replicas of a role. */
function template(spec: Partial<TrainingJobSpec>, role: string, fields: NumberFields) {
  const job = resolveTrainingJob('net', { framework: 'pytorch', image: 'image', ...spec });
  const { singleton } = job.roles.find(({ name }) => name === role)!;
  return templateEnvironment({ job, replicas: replicasOfRole(job, role), addresses: new PodAddressBook('net'), fields, singleton });
}

const valueOf = ({ env }: ReturnType<typeof template>, name: string) => env.find((entry) => entry.name === name);
const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });

describe('variables of a template', () => {
  const workers = template({ framework: 'jax', replicas: 4 }, 'worker', { indexes: [{ path: INDEX, first: 0 }] });

  test('are values where all replicas have the same', () => {
    expect(valueOf(workers, 'JAX_NUM_PROCESSES')).toEqual({ name: 'JAX_NUM_PROCESSES', value: '4' });
    expect(valueOf(workers, 'ROLE')).toEqual({ name: 'ROLE', value: 'worker' });
  });

  test('are fields of the pod where they are the index', () => {
    expect(valueOf(workers, 'JAX_PROCESS_ID')).toEqual(field('JAX_PROCESS_ID', INDEX));
    expect(valueOf(workers, 'TRAINYARD_REPLICA_INDEX')).toEqual(field('TRAINYARD_REPLICA_INDEX', INDEX));
  });

  test('are left out where no field holds the number', () => {
    const behindMaster = template({ replicas: 4 }, 'worker', { indexes: [{ path: INDEX, first: 0 }] });
    expect(behindMaster.omitted).toEqual(['RANK', 'TRAINYARD_ATTEMPT', 'PET_NODE_RANK']);
    expect(valueOf(behindMaster, 'TRAINYARD_REPLICA_INDEX')).toEqual(field('TRAINYARD_REPLICA_INDEX', INDEX));
  });

  test('are the same ones for one replica and for many', () => {
    const fields = { indexes: [{ path: INDEX, first: 0 }] };
    expect(template({ replicas: 2 }, 'worker', fields).omitted).toEqual(template({ replicas: 4 }, 'worker', fields).omitted);
  });

  test('use the field that begins with the right number', () => {
    const both = template({ replicas: 4 }, 'worker', { indexes: [{ path: INDEX, first: 0 }, { path: GLOBAL, first: 1 }], attempt: ATTEMPT });
    expect(both.omitted).toEqual([]);
    expect(valueOf(both, 'RANK')).toEqual(field('RANK', GLOBAL));
    expect(valueOf(both, 'TRAINYARD_ATTEMPT')).toEqual(field('TRAINYARD_ATTEMPT', ATTEMPT));
  });

  test('refer to an earlier variable where the number is part of a text', () => {
    const tensorflow = template({ framework: 'tensorflow', replicas: 12 }, 'worker', { indexes: [{ path: INDEX, first: 0 }] });
    expect(valueOf(tensorflow, 'TF_CONFIG')?.value).toContain('"task":{"type":"worker","index":$(TRAINYARD_REPLICA_INDEX)}');
  });

  test('are left out for all when one replica is another case', () => {
    // The first of PaddlePaddle's workers is reached at its own address.
    const paddle = template({ framework: 'paddle', replicas: 3 }, 'worker', { indexes: [{ path: INDEX, first: 0 }] });
    expect(paddle.omitted).toEqual(['TRAINYARD_ATTEMPT', 'POD_IP_DUMMY', 'PADDLE_MASTER']);
  });

  test('of a replica that is alone are all values', () => {
    expect(template({ replicas: 4 }, 'master', { indexes: [] }).omitted).toEqual(['TRAINYARD_ATTEMPT']);
    expect(valueOf(template({ replicas: 4 }, 'master', { indexes: [] }), 'RANK')).toEqual({ name: 'RANK', value: '0' });
  });

  test('keep what users write, with its references', () => {
    const env = [{ name: 'NAME', value: 'run-$(RANK)' }, { name: 'PRICE', value: '$$(RANK)' }];
    const written = template({ framework: 'jax', replicas: 4, env }, 'worker', { indexes: [{ path: INDEX, first: 0 }] });
    expect(written.env.slice(-2)).toEqual(env);
  });

  test('of helper containers are told apart by their roles', () => {
    const job = resolveTrainingJob('net', { framework: 'mxnet', image: 'image', replicas: 3 });
    const helpers = templateHelpers({ job, replicas: replicasOfRole(job, 'master'), addresses: new PodAddressBook('net'), fields: { indexes: [] }, singleton: true });
    expect(helpers.map(({ name, env }) => [name, env.find((entry) => entry.name === 'DMLC_ROLE')?.value])).toEqual([['scheduler', 'scheduler'], ['server', 'server']]);
  });
});

test('a replica of a template has the environment that the model gives it, without what was left out', () => {
  const fieldsOf = (first: number, ordinal: number, attempt: boolean): NumberFields => ({
    indexes: [{ path: INDEX, first }, { path: GLOBAL, first: ordinal }], ...(attempt && { attempt: ATTEMPT }),
  });
  fc.assert(fc.property(validSpec, fc.boolean(), (spec, attempt) => {
    fc.pre(validateTrainingJob('net', spec).length === 0);
    const job = resolveTrainingJob('net', spec);
    const addresses = new PodAddressBook('net');
    for (const role of job.roles) {
      const replicas = replicasOfRole(job, role.name);
      const fields = fieldsOf(0, replicas[0].ordinal, attempt);
      const { env, omitted } = templateEnvironment({ job, replicas, addresses, fields, singleton: role.singleton });
      replicas.forEach((replica, position) => {
        const meant = replicaEnvironment({ job, replica, addresses }, 0).filter(({ name }) => !omitted.includes(name));
        expect(environmentOfReplica(env, fieldValues(fields, position))).toEqual(meant);
      });
    }
  }), { numRuns: 60 });
});
