import { COMPONENT_NAMES, ControlPlane, resolveBinaries } from '../../src/local/control-plane';
import { KUBECONFIG_VARIABLE } from './support/cluster';

declare global {
  var trainyardTestControlPlane: ControlPlane | undefined;
}

/**
 * Starts the one control plane that all tests of test/cluster share, and tells them its kubeconfig by the environment.
 *
 * Of kube-controller-manager's controllers it runs those that tests of an operator lean on: owners' garbage collection, the deletion of
 * namespaces, the ServiceAccount without which a namespace takes no pods, and the rules of aggregated roles such as `view`. The others would
 * only do unasked things, such as evicting pods from nodes that no kubelet reports about. There is no scheduler and no kubelet: a pod stays
 * Pending until a test writes its status.
 */
export default async function setUp(): Promise<void> {
  const log = (line: string) => console.error(`control plane: ${line}`);
  // All of them, also those that only some tests start: here a build may take its minutes, inside a test it would meet the test's time-out.
  await resolveBinaries(COMPONENT_NAMES, { log });
  const controlPlane = await ControlPlane.start({
    controllerManager: {
      controllers: [
        'garbage-collector-controller',
        'namespace-controller',
        'serviceaccount-controller',
        'root-ca-certificate-publisher-controller',
        'clusterrole-aggregation-controller',
      ],
    },
    log,
    onUnexpectedExit: (name, lines) => log(`${name} ended during the tests; its last log lines:\n${lines}`),
  });
  globalThis.trainyardTestControlPlane = controlPlane;
  process.env[KUBECONFIG_VARIABLE] = controlPlane.kubeconfigPath;
}
