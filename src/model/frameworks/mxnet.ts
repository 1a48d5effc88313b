/**
 * MXNet and its parameter server (ps-lite): `DMLC_*`. In the blog's short form every replica trains, and nobody is left to be scheduler
 * or server; both then run as further containers of the master's pod, from the same image and command, and end when the workers do.
 * @see https://mxnet.apache.org/versions/1.9.1/api/faq/distributed_training
 */
import { framework, variable, type ReplicaContext } from './contract';
import { replicasOfRole } from '../training-job/replicas/replicas';
import type { EnvVarSpec } from '../training-job/spec';

/** Port of the scheduler; training-operator v1's `mxjob-port`. */
const MXNET_PORT = 9091;

const PORT_NAME = 'mxjob-port';

export const MXNET = framework({
  name: 'mxnet',
  title: 'MXNet',
  roles: [
    { name: 'master', singleton: true },
    { name: 'scheduler', singleton: true, ranked: false, devices: false },
    { name: 'worker' },
    { name: 'server', ranked: false, devices: false },
  ],
  ports: [{ name: PORT_NAME, port: MXNET_PORT, roles: ['master', 'scheduler'] }],
  successPolicy: () => 'AllWorkers',

  environment(context) {
    const role = context.replica.role === 'master' ? 'worker' : context.replica.role;
    return [variable('DMLC_ROLE', role), ...parameterServer(context)];
  },

  helpers(context) {
    if (context.replica.role !== 'master') {
      return [];
    }
    return ['scheduler', 'server'].map((role) => ({
      name: role,
      env: [variable('DMLC_ROLE', role), ...parameterServer(context)],
    }));
  },

  validate(job) {
    const names = job.roles.map((role) => role.name);
    if (names.includes('master')) {
      return names.includes('scheduler') || names.includes('server')
        ? [{ path: 'spec.roles', value: names, message: 'a master already runs the scheduler and the server. Remove it, or the scheduler and server roles.' }]
        : [];
    }
    return ['scheduler', 'server', 'worker'].filter((name) => !names.includes(name)).map((name) => ({
      path: 'spec.roles',
      value: names,
      message: `MXNet's parameter server needs a ${name}. Add the role, or use the short form ('replicas'), which adds scheduler and server.`,
    }));
  },
});

function parameterServer({ job, addresses }: ReplicaContext): EnvVarSpec[] {
  const master = replicasOfRole(job, 'master')[0];
  const root = master ?? replicasOfRole(job, 'scheduler')[0];
  return [
    variable('DMLC_PS_ROOT_URI', addresses.host(root)),
    variable('DMLC_PS_ROOT_PORT', addresses.port(root, PORT_NAME, MXNET_PORT)),
    variable('DMLC_NUM_SERVER', master ? 1 : replicasOfRole(job, 'server').length),
    variable('DMLC_NUM_WORKER', job.trainers),
    variable('DMLC_USE_KUBERNETES', 1),
  ];
}
