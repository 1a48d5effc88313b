/**
 * The Spark operator's own controller and webhooks, as processes beside the embedded control plane. The controller starts a real `spark-submit`,
 * which creates the pods of drivers.
 */
import fs from 'node:fs';
import path from 'node:path';
import { editSource, findGoProgram, keptFile, type GoProgram } from './go-program';
import { makeCertificate, registerOnLoopback, untilSaid } from './manager';
import { readYaml } from '../crds';
import type { TestApi } from '../test-api';
import { Child } from '../../../../src/local/control-plane/child-process';
import { freePorts } from '../../../../src/local/control-plane/ports';

const NAMESPACE = 'spark-operator';
const WEBHOOKS = 'config/webhook/manifests.yaml';
const SUBMISSION = 'internal/controller/sparkapplication/submission.go';

export const SPARK_OPERATOR: GoProgram = {
  title: 'Spark operator',
  name: 'spark-operator',
  module: 'github.com/kubeflow/spark-operator/v2',
  release: 'v2.5.2',
  main: './cmd/operator',
  variable: 'TRAINYARD_SPARK_OPERATOR',
  files: [WEBHOOKS],
  async change(sources) {
    // Its webhooks serve on all addresses, and templates of pods go into a fixed folder.
    editSource(sources, 'cmd/operator/webhook/start.go', 'Port:     webhookPort,', 'Host: "127.0.0.1", Port: webhookPort,');
    for (const role of ['driver', 'executor']) {
      editSource(sources, SUBMISSION, `"/tmp/spark/%s/${role}-pod-template.yaml"`, `os.TempDir()+"/spark/%s/${role}-pod-template.yaml"`);
    }
  },
};

/**
 * Starts both.
 * @param folder for certificates, logs and templates
 * @param sparkHome where Spark is installed
 */
export async function startSparkOperator(folder: string, kubeconfig: string, api: TestApi, sparkHome: string): Promise<readonly Child[]> {
  const [port] = await freePorts(1);
  const [own, served] = ['made', 'served'].map((name) => path.join(folder, name));
  fs.mkdirSync(own);
  const caBundle = makeCertificate(own, true);
  const read = (file: string) => fs.readFileSync(path.join(own, file)).toString('base64');
  await api.create('namespaces', undefined, { metadata: { name: NAMESPACE } });
  const secret = { metadata: { name: 'certs' }, data: { 'tls.crt': read('tls.crt'), 'tls.key': read('tls.key'), 'ca.crt': read('tls.crt'), 'ca.key': read('tls.key') } };
  await api.create('secrets', NAMESPACE, secret);
  const { hostname, port: apiPort } = new URL(api.access.url);
  const env = {
    ...process.env, KUBECONFIG: kubeconfig, TMPDIR: folder, SPARK_HOME: sparkHome,
    KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: apiPort,
  };
  const start = (role: string, args: readonly string[]) => new Child({
    name: `spark-operator-${role}`, command: findGoProgram(SPARK_OPERATOR).program!, args: [role, 'start', '--health-probe-bind-address=0', ...args],
    logFile: path.join(folder, `${role}.log`), env,
  });
  const children = [
    start('controller', []),
    start('webhook', [
      `--webhook-port=${port}`, `--webhook-cert-dir=${served}`, '--enable-cert-manager', '--webhook-secret-name=certs', `--webhook-secret-namespace=${NAMESPACE}`,
    ]),
  ];
  await Promise.all(['Starting workers', 'Serving webhook server'].map(async (line, index) => untilSaid(children[index], line)));
  await registerOnLoopback(api, readYaml(keptFile(SPARK_OPERATOR, WEBHOOKS)), port, caBundle);
  return children;
}
