/**
 * KServe's own controller, as a process beside the embedded control plane, with its webhooks, runtimes and configuration, and with the rights of its
 * manifests.
 */
import fs from 'node:fs';
import path from 'node:path';
import { editSource, keptFile, type GoProgram } from './go-program';
import { makeCertificate } from './manager';
import { eventually } from '../cluster';
import { readYaml } from '../crds';
import type { TestApi } from '../test-api';
import { Child } from '../../../../src/local/control-plane/child-process';
import { freePorts } from '../../../../src/local/control-plane/ports';

/** Account of the controller, in the API server's words. */
export const KSERVE_CONTROLLER = 'system:serviceaccount:kserve:kserve-controller-manager';

/** Where controller-runtime looks for certificates, below the folder for temporary files. */
const CERTIFICATES = path.join('k8s-webhook-server', 'serving-certs');
const [CONFIGURATION, RIGHTS, RUNTIMES, STORAGE, WEBHOOKS] = [
  'config/configmap/inferenceservice.yaml', 'config/rbac/role.yaml', 'config/runtimes', 'config/storagecontainers/default.yaml', 'config/webhook/manifests.yaml',
];

export const KSERVE: GoProgram = {
  title: 'KServe',
  name: 'kserve',
  module: 'github.com/kserve/kserve',
  release: 'v0.20.0',
  main: './cmd/manager',
  variable: 'TRAINYARD_KSERVE',
  files: [CONFIGURATION, RIGHTS, RUNTIMES, STORAGE, WEBHOOKS],
  async change(sources) {
    // It serves on all addresses.
    editSource(sources, 'cmd/manager/main.go', 'Port: options.webhookPort,', 'Port: options.webhookPort, Host: "127.0.0.1",');
  },
};

const kept = (file: string) => readYaml(keptFile(KSERVE, file));

/**
 * Starts it, in its namespace `kserve`.
 * @param folder for its certificate and log
 * @param kubeconfig of {@link KSERVE_CONTROLLER}
 */
export async function startKServe(program: string, folder: string, kubeconfig: string, api: TestApi): Promise<Child> {
  const [port] = await freePorts(1);
  await api.create('namespaces', undefined, { metadata: { name: 'kserve' } });
  const [{ rules }] = kept(RIGHTS);
  const name = 'kserve-manager-role';
  await api.create('clusterroles', undefined, { metadata: { name }, rules });
  await api.create('clusterrolebindings', undefined, {
    metadata: { name }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', namespace: 'kserve', name: 'kserve-controller-manager' }],
  });
  for (const configuration of kept(CONFIGURATION)) {
    await api.create('configmaps', 'kserve', configuration);
  }
  const certificates = path.join(folder, CERTIFICATES);
  fs.mkdirSync(certificates, { recursive: true });
  const caBundle = makeCertificate(certificates);
  const controller = new Child({
    name: 'kserve', command: program, args: ['--metrics-addr=0', '--health-probe-addr=0', `--webhook-port=${port}`], logFile: path.join(folder, 'kserve.log'),
    env: { ...process.env, KUBECONFIG: kubeconfig, TMPDIR: folder, POD_NAMESPACE: 'kserve' },
  });
  await Promise.race([
    eventually('KServe to start', async () => fs.readFileSync(controller.logFile, 'utf8').includes('Serving webhook server')),
    controller.exited.then(() => Promise.reject(new Error(`KServe does not start:\n${controller.lastLogLines(5)}`))),
  ]);
  for (const object of kept(WEBHOOKS)) {
    const webhooks = (object.webhooks as { clientConfig: { service: { path: string } } }[])
      .map((webhook) => ({ ...webhook, clientConfig: { url: `https://127.0.0.1:${port}${webhook.clientConfig.service.path}`, caBundle } }));
    await api.send('POST', `/apis/admissionregistration.k8s.io/v1/${object.kind!.toLowerCase()}s`, { ...object, webhooks });
  }
  const runtimes = fs.readdirSync(keptFile(KSERVE, RUNTIMES)).filter((file) => file !== 'kustomization.yaml').map((file) => path.join(RUNTIMES, file));
  for (const object of [...runtimes, STORAGE].flatMap(kept)) {
    await api.send('POST', `/apis/serving.kserve.io/v1alpha1/${object.kind!.toLowerCase()}s`, object);
  }
  return controller;
}
