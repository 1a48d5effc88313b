/** An operator whose requests are written down, and of which some are carried out without an answer. Its caches get nothing by themselves. */
import { ApiClient } from '../plan/simulation/api-client';
import { ApiServer, KINDS, Refusal } from '../plan/simulation/api-server';
import { Caches } from '../plan/simulation/caches';
import { Random } from '../plan/simulation/random';
import { RealOperator } from '../plan/simulation/real-operator';
import { makeJob } from './builders';
import type { TrainingJobSpec } from '../../../../src/model/training-job/spec';

const SPEC = makeJob().pytorch(2).build().spec;

/** An operator of the job `train`. @param spec default: a master and a worker */
export function makeOperator(spec: TrainingJobSpec = SPEC) {
  const server = new ApiServer();
  server.createJob('train', spec);
  const caches = new Caches(server);
  KINDS.forEach((kind) => { caches.beginList(kind); caches.commitList(kind); });
  const requests: string[] = [];
  const silent: string[] = [];
  const client = new ApiClient(new Random(1), () => undefined, () => undefined);
  const write = client.write.bind(client);
  client.write = <T>(description: string, request: () => T): T => {
    requests.push(description);
    const answer = write(description, request);
    if (silent.includes(description)) {
      throw new Refusal('Timeout', true);
    }
    return answer;
  };
  const read = client.read.bind(client);
  client.read = <T>(description: string, request: () => T): T => {
    requests.push(description);
    return read(description, request);
  };
  const observer = { onCreatePod: () => undefined, onDeletePod: () => undefined, onDeleteJob: () => undefined };
  const operator = new RealOperator(server, client, { now: Date.parse('2026-03-01T12:00:00Z'), monotonic: 0 }, 'train', observer, caches);
  return { server, caches, operator, requests, silent };
}
