/**
 * Katib's own programs beside the embedded control plane: the controller with its webhooks, as the account and with the rights that its manifests
 * give it; a service of algorithms; the manager of observations, which keeps them in memory here; and the collector that its webhook puts into pods.
 */
import fs from 'node:fs';
import path from 'node:path';
import { editSource, findGoProgram, keptFile, type Found, type GoProgram } from './go-program';
import { makeCertificate, registerOnLoopback, untilSaid } from './manager';
import { readYaml } from '../crds';
import type { TestApi } from '../test-api';
import { Child } from '../../../../src/local/control-plane/child-process';
import { freePorts } from '../../../../src/local/control-plane/ports';

/** Account of the controller, in the API server's words. */
export const KATIB_CONTROLLER = 'system:serviceaccount:kubeflow:katib-controller';

/** Where its webhooks look for certificates, below the folder for temporary files. */
const CERTIFICATES = 'cert';
const MANIFESTS = 'manifests/v1beta1';
const RIGHTS = `${MANIFESTS}/components/controller/rbac.yaml`;
const WEBHOOKS = `${MANIFESTS}/components/webhook/webhooks.yaml`;
const CONFIGURATION = `${MANIFESTS}/installs/katib-standalone/katib-config.yaml`;
const DEFINITIONS = ['experiment', 'suggestion', 'trial'].map((name) => `${MANIFESTS}/components/crd/${name}.yaml`);

/** Algorithms in Python, and what they share with the one in Go. */
export const PYTHON_ALGORITHMS = ['pkg/suggestion/v1beta1', 'pkg/apis/manager/v1beta1/python', 'pkg/apis/manager/health/python'];

/** Has the address of the service of algorithms, which has a name in a cluster. */
export const ALGORITHM_VARIABLE = 'TRAINYARD_KATIB_ALGORITHM';

function program(name: string, main: string, more: Partial<GoProgram> = {}): GoProgram {
  return {
    title: `Katib's ${name.replaceAll('-', ' ')}`, name: `katib-${name}`, module: 'github.com/kubeflow/katib', release: 'v0.19.0', main,
    variable: `TRAINYARD_KATIB_${name.toUpperCase().replaceAll('-', '_')}`, ...more,
  };
}

export const KATIB = {
  controller: program('controller', './cmd/katib-controller/v1beta1', {
    files: [RIGHTS, WEBHOOKS, CONFIGURATION, ...DEFINITIONS],
    async change(sources) {
      // It serves on all addresses, its certificates are in a fixed place, and it finds algorithms by the names of services.
      editSource(sources, 'cmd/katib-controller/v1beta1/main.go', 'CertDir: consts.CertDir,', `CertDir: os.TempDir() + "/${CERTIFICATES}", Host: "127.0.0.1",`);
      const endpoints = 'pkg/controller.v1beta1/util/suggestion.go';
      editSource(sources, endpoints, 'import (', 'import (\n\t"os"');
      editSource(sources, endpoints, 'serviceName := GetSuggestionServiceName(s)', `if at := os.Getenv("${ALGORITHM_VARIABLE}"); at != "" {\n\t\treturn at\n\t}\n\tserviceName := GetSuggestionServiceName(s)`);
    },
  }),
  algorithms: program('algorithms', './cmd/suggestion/goptuna/v1beta1', {
    files: PYTHON_ALGORITHMS,
    async change(sources) {
      const main = 'cmd/suggestion/goptuna/v1beta1/main.go';
      editSource(sources, main, 'const (\n\taddress = "0.0.0.0:6789"\n)', `var address = os.Getenv("${ALGORITHM_VARIABLE}")`);
      editSource(sources, main, 'import (', 'import (\n\t"os"');
    },
  }),
  observations: program('observations', './cmd/db-manager/v1beta1', {
    async change(sources) {
      fs.copyFileSync(path.join(__dirname, 'katib-memory.go'), path.join(sources, 'pkg/db/v1beta1/db.go'));
    },
  }),
  collector: program('collector', './cmd/metricscollector/v1beta1/file-metricscollector'),
};

/** Katib's programs that run. */
export interface RunningKatib {
  readonly controller: Child;
  stop(): Promise<void>;
}

/** Whether all programs are there. */
export function findKatib(): Found {
  return Object.values(KATIB).map((wanted) => findGoProgram(wanted)).find(({ missing }) => missing !== undefined) ?? {};
}

const kept = (file: string) => readYaml(keptFile(KATIB.controller, file));

/**
 * Starts it, in its namespace `kubeflow`.
 * @param folder for certificates and logs
 * @param kubeconfig of {@link KATIB_CONTROLLER}
 * @param trialResources kinds of trials in addition to those of its manifests, as KatibConfig writes them
 */
export async function startKatib(folder: string, kubeconfig: string, api: TestApi, trialResources: readonly string[]): Promise<RunningKatib> {
  const [webhooks, algorithms, observations] = await freePorts(3);
  await api.define(DEFINITIONS.flatMap(kept));
  await api.apply('namespaces', undefined, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kubeflow' } });
  for (const object of kept(RIGHTS).filter(({ kind }) => kind !== 'ServiceAccount')) {
    await api.create(object.kind === 'ClusterRole' ? 'clusterroles' : 'clusterrolebindings', undefined, object);
  }
  const [{ init, ...configuration }] = kept(CONFIGURATION) as unknown as { init: { controller: { trialResources: string[] } } }[];
  const controllerConfig = {
    ...init.controller, webhookPort: webhooks, metricsAddr: '127.0.0.1:0', healthzAddr: '127.0.0.1:0', enableLeaderElection: false,
    trialResources: [...init.controller.trialResources, ...trialResources],
  };
  const config = JSON.stringify({ ...configuration, init: { certGenerator: { enable: false }, controller: controllerConfig } });
  const configFile = path.join(folder, 'katib-config.yaml');
  fs.writeFileSync(configFile, config);
  await api.create('configmaps', 'kubeflow', { metadata: { name: 'katib-config' }, data: { 'katib-config.yaml': config } });
  const certificates = path.join(folder, CERTIFICATES);
  fs.mkdirSync(certificates);
  const caBundle = makeCertificate(certificates);
  await registerOnLoopback(api, kept(WEBHOOKS), webhooks, caBundle);
  const start = (name: keyof typeof KATIB, args: readonly string[], env: object = {}) => new Child({
    name: KATIB[name].name, command: findGoProgram(KATIB[name]).program!, args, logFile: path.join(folder, `${name}.log`), env: { ...process.env, ...env },
  });
  const algorithmsAt = `127.0.0.1:${algorithms}`;
  const children = [
    start('algorithms', [], { [ALGORITHM_VARIABLE]: algorithmsAt }),
    start('observations', [`-listen-address=127.0.0.1:${observations}`], { DB_NAME: 'memory' }),
  ];
  const controller = start('controller', [`--katib-config=${configFile}`], {
    KUBECONFIG: kubeconfig, TMPDIR: folder, [ALGORITHM_VARIABLE]: algorithmsAt,
    KATIB_DB_MANAGER_SERVICE_NAMESPACE: '', KATIB_DB_MANAGER_SERVICE_IP: '127.0.0.1', KATIB_DB_MANAGER_SERVICE_PORT: String(observations),
  });
  await untilSaid(controller, 'Serving webhook server');
  return {
    controller,
    async stop() {
      await Promise.all([controller, ...children].map(async (child) => child.stop(10_000)));
    },
  };
}
