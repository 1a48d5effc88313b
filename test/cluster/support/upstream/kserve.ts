/**
 * KServe's own controllers, as processes beside the embedded control plane, with their webhooks and configurations, and with the rights of their
 * manifests.
 */
import fs from 'node:fs';
import path from 'node:path';
import { editSource, findGoProgram, keptFile, type GoProgram } from './go-program';
import { makeCertificate, registerOnLoopback, SERVING_CERTIFICATES, untilSaid } from './manager';
import type { TestObject } from '../cluster';
import { readYaml } from '../crds';
import type { TestApi } from '../test-api';
import { Child } from '../../../../src/local/control-plane/child-process';
import { freePorts } from '../../../../src/local/control-plane/ports';

const [CONFIGURATION, RUNTIMES, STORAGE, LLM_CONFIGURATIONS] = [
  'config/configmap/inferenceservice.yaml', 'config/runtimes', 'config/storagecontainers/default.yaml', 'config/llmisvcconfig',
];

/** A controller of KServe, and which of its manifests have its rights and its webhooks. */
interface KServeProgram extends GoProgram {
  readonly rights: string;
  readonly webhooks: string;
  /** Account that it runs as, in the API server's words. */
  readonly account: string;
}

function controller(name: string, main: string, part: string, files: readonly string[]): KServeProgram {
  const [rights, webhooks] = [`config/rbac/${part}role.yaml`, `config/webhook/${part}manifests.yaml`];
  return {
    title: name === 'kserve' ? 'KServe' : 'KServe for large language models',
    name,
    module: 'github.com/kserve/kserve',
    release: 'v0.20.0',
    main,
    variable: `TRAINYARD_${name.toUpperCase().replace('-', '_')}`,
    account: `system:serviceaccount:kserve:${name}`,
    rights,
    webhooks,
    files: [rights, webhooks, ...files],
    async change(sources) {
      // It serves on all addresses.
      editSource(sources, `${main}/main.go`, 'Port: options.webhookPort', 'Host: "127.0.0.1", Port: options.webhookPort');
    },
  };
}

/** The controller of services, graphs and runtimes. */
export const KSERVE = controller('kserve', './cmd/manager', '', [CONFIGURATION, RUNTIMES, STORAGE]);
/** That of large language models. */
export const KSERVE_LLM = controller('kserve-llm', './cmd/llmisvc', 'llmisvc/', [LLM_CONFIGURATIONS]);

/**
 * Starts both, in their namespace `kserve`, with what KServe installs beside them.
 * @param folder for certificates and logs
 * @param kubeconfig of an account
 */
export async function startKServe(
  folder: string, kubeconfig: (account: string) => string, api: TestApi,
): Promise<{ readonly services: Child; readonly llms: Child }> {
  await api.apply('namespaces', undefined, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kserve' } });
  for (const configuration of readYaml(keptFile(KSERVE, CONFIGURATION)) as (TestObject & { readonly data: object })[]) {
    // What a platform team sets in addition: where the autoscaler of large language models finds metrics.
    const data = { ...configuration.data, 'autoscaling-wva-controller-config': JSON.stringify({ prometheus: { url: 'http://prometheus.monitoring:9090' } }) };
    await api.create('configmaps', 'kserve', { ...configuration, data });
  }
  const services = await start(KSERVE, fs.mkdtempSync(path.join(folder, 'services-')), kubeconfig(KSERVE.account), api);
  const llms = await start(KSERVE_LLM, fs.mkdtempSync(path.join(folder, 'llms-')), kubeconfig(KSERVE_LLM.account), api);
  for (const object of [...inFolder(KSERVE, RUNTIMES), ...readYaml(keptFile(KSERVE, STORAGE))]) {
    await api.send('POST', `/apis/serving.kserve.io/v1alpha1/${object.kind!.toLowerCase()}s`, object);
  }
  for (const object of inFolder(KSERVE_LLM, LLM_CONFIGURATIONS)) {
    await api.send('POST', `/apis/${object.apiVersion}/namespaces/kserve/${object.kind!.toLowerCase()}s`, object);
  }
  return { services, llms };
}

function inFolder(program: KServeProgram, folder: string): TestObject[] {
  return fs.readdirSync(keptFile(program, folder)).filter((file) => file !== 'kustomization.yaml').flatMap((file) => readYaml(keptFile(program, path.join(folder, file))));
}

async function start(program: KServeProgram, folder: string, kubeconfig: string, api: TestApi): Promise<Child> {
  const [port] = await freePorts(1);
  const { name, rights, webhooks, account } = program;
  const [{ rules }] = readYaml(keptFile(program, rights));
  await api.create('clusterroles', undefined, { metadata: { name }, rules });
  await api.create('clusterrolebindings', undefined, {
    metadata: { name }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: account }],
  });
  const certificates = path.join(folder, SERVING_CERTIFICATES);
  fs.mkdirSync(certificates, { recursive: true });
  const caBundle = makeCertificate(certificates);
  const child = new Child({
    name, command: findGoProgram(program).program!, args: ['--metrics-addr=0', '--health-probe-addr=0', `--webhook-port=${port}`], logFile: path.join(folder, 'log'),
    env: { ...process.env, KUBECONFIG: kubeconfig, TMPDIR: folder, POD_NAMESPACE: 'kserve' },
  });
  await untilSaid(child, 'Serving webhook server');
  await registerOnLoopback(api, readYaml(keptFile(program, webhooks)), port, caBundle);
  return child;
}
