/** JobSet's own manager, as a process beside the embedded control plane, with its webhooks. */
import fs from 'node:fs';
import path from 'node:path';
import type { GoProgram } from './go-program';
import { makeCertificate, managerConfiguration, registerWebhooks } from './manager';
import type { TestApi } from '../test-api';
import { Child } from '../../../../src/local/control-plane/child-process';
import { freePorts } from '../../../../src/local/control-plane/ports';

/** JobSet, of the release that the engine is written for. */
export const JOBSET: GoProgram = {
  title: 'JobSet', name: 'jobset', module: 'sigs.k8s.io/jobset', release: 'v0.12.0', main: '.', variable: 'TRAINYARD_JOBSET',
};

/**
 * Starts the manager, and has the API server ask its webhooks about every JobSet.
 * @param folder for its configuration, certificate and log
 */
export async function startJobSetManager(program: string, folder: string, kubeconfig: string, api: TestApi): Promise<Child> {
  const [port] = await freePorts(1);
  const config = path.join(folder, 'jobset.yaml');
  const settings = managerConfiguration('config.jobset.x-k8s.io', 'v1alpha1', { port, certDir: folder }, { internalCertManagement: { enable: false } });
  fs.writeFileSync(config, JSON.stringify(settings));
  const caBundle = makeCertificate(folder);
  const manager = new Child({
    name: 'jobset', command: program, args: [`--config=${config}`], logFile: path.join(folder, 'jobset.log'), env: { ...process.env, KUBECONFIG: kubeconfig },
  });
  const jobSets = { caBundle, group: 'jobset.x-k8s.io', version: 'v1alpha2', resource: 'jobsets' };
  const url = (verb: string) => `https://127.0.0.1:${port}/${verb}-jobset-x-k8s-io-v1alpha2-jobset`;
  await registerWebhooks(api, [
    { ...jobSets, name: 'mutate.jobset.kb.io', url: url('mutate'), mutates: true, operations: ['CREATE'] }, { ...jobSets, name: 'validate.jobset.kb.io', url: url('validate') },
  ]);
  return manager;
}
