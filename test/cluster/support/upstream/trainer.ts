/** Kubeflow Trainer's own manager, as a process beside the embedded control plane, with its webhooks. JobSet's has to run too. */
import fs from 'node:fs';
import path from 'node:path';
import type { GoProgram } from './go-program';
import { makeCertificate, managerConfiguration, registerWebhooks } from './manager';
import type { TestApi } from '../test-api';
import { Child } from '../../../../src/local/control-plane/child-process';
import { freePorts } from '../../../../src/local/control-plane/ports';

/** Where controller-runtime looks for certificates, below the folder for temporary files. */
const CERTIFICATES = path.join('k8s-webhook-server', 'serving-certs');

/** Kubeflow Trainer, of the release that the engine is written for. */
export const TRAINER: GoProgram = {
  title: 'Kubeflow Trainer', name: 'trainer', module: 'github.com/kubeflow/trainer/v2', release: 'v2.3.0', main: './cmd/trainer-controller-manager',
  variable: 'TRAINYARD_TRAINER',
};

/**
 * Starts the manager, and has the API server ask its webhooks about TrainJobs and runtimes.
 * @param folder for its configuration, certificate and log
 */
export async function startTrainerManager(program: string, folder: string, kubeconfig: string, api: TestApi): Promise<Child> {
  const [port] = await freePorts(1);
  const config = path.join(folder, 'trainer.yaml');
  fs.writeFileSync(config, JSON.stringify(managerConfiguration('config.trainer.kubeflow.org', 'v1alpha1', { port }, { certManagement: { enable: false } })));
  const certificates = path.join(folder, CERTIFICATES);
  fs.mkdirSync(certificates, { recursive: true });
  const caBundle = makeCertificate(certificates);
  const manager = new Child({
    name: 'trainer', command: program, args: [`--config=${config}`], logFile: path.join(folder, 'trainer.log'),
    env: { ...process.env, KUBECONFIG: kubeconfig, TMPDIR: folder },
  });
  const hooks = [['mutate', 'trainjob'], ['validate', 'trainjob'], ['validate', 'trainingruntime']] as const;
  await registerWebhooks(api, hooks.map(([verb, resource]) => ({
    name: `${verb}.${resource}.trainer.kubeflow.org`, mutates: verb === 'mutate', url: `https://127.0.0.1:${port}/${verb}-trainer-kubeflow-org-v1alpha1-${resource}`, caBundle,
    group: 'trainer.kubeflow.org', version: 'v1alpha1', resource: `${resource}s`,
  })));
  return manager;
}
