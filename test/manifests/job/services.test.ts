import type { Service } from '../../../src/manifests/kubernetes';
import { constructServices, serviceNames } from '../../../src/manifests/job/services';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { longForm, resolved, shortForm } from '../../model/jobs';

function servicesOf(spec: TrainingJobSpec): Service[] {
  return constructServices(resolved(spec), { namespace: 'ml' });
}

const names = (spec: TrainingJobSpec) => servicesOf(spec).map((service) => service.metadata.name);

describe('services of a job', () => {
  test('the master has the blog\'s: headless, on 29500, found by the job\'s label', () => {
    expect(servicesOf(shortForm('pytorch', 3))).toEqual([{
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'net-master', namespace: 'ml', labels: { 'job': 'net', 'app.kubernetes.io/managed-by': 'trainyard-operator' } },
      spec: {
        clusterIP: 'None',
        publishNotReadyAddresses: true,
        selector: { role: 'master', job: 'net' },
        ports: [{ name: 'master', port: 29500, targetPort: 29500, protocol: 'TCP' }],
      },
    }]);
  });

  test('replicas that dial each other have one more, for all of them', () => {
    const [, peers] = servicesOf(shortForm('tensorflow', 2));
    expect(peers.metadata.name).toBe('net');
    expect(peers.spec).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: true, selector: { job: 'net' } });
    expect(peers.spec.ports!.map(({ name, port }) => [name, port])).toEqual([['master', 29500], ['tfjob-port', 2222]]);
  });

  test('each framework has what its replicas dial', () => {
    expect(names(shortForm('pytorch', 1))).toEqual(['net-master']);
    expect(names(longForm('pytorch', { worker: 2 }))).toEqual(['net']);
    expect(names(shortForm('jax', 2))).toEqual(['net']);
    expect(names(shortForm('xgboost', 2))).toEqual(['net-master', 'net']);
    expect(names(shortForm('mpi', 2))).toEqual(['net']);
    expect(names(longForm('plain', { actor: 1, learner: 1 }))).toEqual(['net']);
  });

  test('bear the names that the planner looks for', () => {
    for (const spec of [shortForm('pytorch', 1), longForm('pytorch', { worker: 2 }), shortForm('xgboost', 2), shortForm('mpi', 2)]) {
      expect(serviceNames(resolved(spec))).toEqual(names(spec));
    }
  });

  test('the job\'s own port is everywhere, and a number stands once', () => {
    const [master, peers] = servicesOf(shortForm('tensorflow', 2, { port: 2222 }));
    expect(master.spec.ports!.map(({ port }) => port)).toEqual([2222]);
    expect(peers.spec.ports!.map(({ name, port }) => [name, port])).toEqual([['master', 2222]]);
  });

  test('belong to the job', () => {
    const owner = { apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', name: 'net', uid: 'u1', controller: true };
    const services = constructServices(resolved(shortForm('xgboost', 2)), { namespace: 'ml', owner });
    expect(services.map((service) => service.metadata.ownerReferences)).toEqual([[owner], [owner]]);
  });
});
