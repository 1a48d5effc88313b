/** Kubeflow's training operator v1, as a process beside the embedded control plane, with its webhooks. */
import fs from 'node:fs';
import path from 'node:path';
import { editSource, type GoProgram } from './go-program';
import { makeCertificate, registerWebhooks, SERVING_CERTIFICATES, untilSaid } from './manager';
import type { TestApi } from '../test-api';
import { Child } from '../../../../src/local/control-plane/child-process';
import { freePorts } from '../../../../src/local/control-plane/ports';

/** Names that its manager of certificates looks for. */
const [NAMESPACE, SECRET, CONFIGURATION] = ['kubeflow', 'training-operator-webhook-cert', 'validator.training-operator.kubeflow.org'];

/** The training operator, of the release that the engine is written for. */
export const TRAINING_OPERATOR: GoProgram = {
  title: 'Training operator',
  name: 'training-operator',
  module: 'github.com/kubeflow/training-operator',
  release: 'v1.9.4',
  main: './cmd/training-operator.v1',
  variable: 'TRAINYARD_TRAINING_OPERATOR',
  async change(sources) {
    // It serves on all addresses, and its certificates are in a fixed place below /tmp: there are settings for neither.
    editSource(sources, 'cmd/training-operator.v1/main.go', 'Port: webhookServerPort,', 'Port: webhookServerPort, Host: "127.0.0.1",');
    editSource(sources, 'pkg/cert/cert.go', 'certDir                  = "/tmp/k8s-webhook-server/serving-certs"\n', '');
    editSource(sources, 'pkg/cert/cert.go', 'type Config struct', `var certDir = os.TempDir() + "/${SERVING_CERTIFICATES}"\n\ntype Config struct`);
  },
};

/**
 * Starts it, and has the API server ask its webhooks about every job that they know.
 * @param folder for its certificate and log
 */
export async function startTrainingOperator(program: string, folder: string, kubeconfig: string, api: TestApi): Promise<Child> {
  const [port] = await freePorts(1);
  const certificates = path.join(folder, SERVING_CERTIFICATES);
  fs.mkdirSync(certificates, { recursive: true });
  const caBundle = makeCertificate(certificates);
  await api.create('namespaces', undefined, { metadata: { name: NAMESPACE } });
  // It waits until it has filled both. What the API server asks is below another name.
  await api.send('POST', `/api/v1/namespaces/${NAMESPACE}/secrets`, { metadata: { name: SECRET } });
  await api.send('POST', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', { metadata: { name: CONFIGURATION }, webhooks: [] });
  const logFile = path.join(folder, 'training-operator.log');
  const operator = new Child({
    name: 'training-operator',
    command: program,
    args: ['--metrics-bind-address=0', '--health-probe-bind-address=0', `--webhook-server-port=${port}`, '--kube-api-qps=500', '--kube-api-burst=500'],
    logFile,
    env: { ...process.env, KUBECONFIG: kubeconfig, TMPDIR: folder, MY_POD_NAMESPACE: NAMESPACE },
  });
  await untilSaid(operator, 'Certs ready');
  await registerWebhooks(api, ['jaxjob', 'paddlejob', 'pytorchjob', 'tfjob', 'xgboostjob'].map((kind) => ({
    name: `real.${kind}.training-operator.kubeflow.org`, url: `https://127.0.0.1:${port}/validate-kubeflow-org-v1-${kind}`, caBundle,
    group: 'kubeflow.org', version: 'v1', resource: `${kind}s`,
  })));
  return operator;
}
