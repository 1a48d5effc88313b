/**
 * PaddlePaddle: the variables that `paddle.distributed.launch` reads. Workers alone train collectively; a master next to them makes it
 * parameter-server training, as in training-operator v1's PaddleJob.
 * @see https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/distributed/launch_en.html
 */
import { framework, fieldVariable, variable, workersAlone } from './contract';
import { coordinatorAddress, hasMaster } from '../training-job/replicas/replicas';

export const PADDLE = framework({
  name: 'paddle',
  title: 'PaddlePaddle',
  roles: [{ name: 'master', singleton: true }, { name: 'worker' }],
  shortForm: workersAlone,
  successPolicy: (job) => (hasMaster(job) ? 'Coordinator' : 'AllWorkers'),

  environment({ job, replica, addresses }) {
    const { host, port } = coordinatorAddress({ job, addresses });
    const variables = [
      variable('PADDLE_JOB_ID', job.name),
      variable('PADDLE_NNODES', job.replicas.length),
      // v1 orders replicas by arrival; then it is not known which replica the failed rank was.
      variable('PADDLE_RANK', replica.ordinal),
    ];
    if (replica.ordinal === 0) {
      // The launcher becomes the rendezvous server only when the address is its own, which a service name is not: v1's trick.
      variables.push(fieldVariable('POD_IP_DUMMY', 'status.podIP'), variable('PADDLE_MASTER', `$(POD_IP_DUMMY):${port}`));
    } else {
      variables.push(variable('PADDLE_MASTER', `${host}:${port}`));
    }
    if (hasMaster(job)) {
      variables.push(variable(replica.role === 'master' ? 'PADDLE_SERVER_NUM' : 'PADDLE_TRAINER_NUM', 1));
    }
    return variables;
  },
});
