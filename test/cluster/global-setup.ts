import { ControlPlane } from '../../src/local/control-plane';
import { KUBECONFIG_VARIABLE } from './support/cluster';

declare global {
  var trainyardTestControlPlane: ControlPlane | undefined;
}

/**
 * Starts the one control plane that all tests of test/cluster share, and tells them its kubeconfig by the environment.
 *
 * Of kube-controller-manager's controllers it runs those that tests of an operator lean on: owners' garbage collection, the deletion of namespaces,
 * and the ServiceAccount without which a namespace takes no pods. The others would only do unasked things, such as evicting pods from
 * nodes that no kubelet reports about. There is no scheduler and no kubelet: a pod stays Pending until a test writes its status.
 */
export default async function setUp(): Promise<void> {
  const controlPlane = await ControlPlane.start({
    controllerManager: {
      controllers: [
        'garbage-collector-controller',
        'namespace-controller',
        'serviceaccount-controller',
        'root-ca-certificate-publisher-controller',
      ],
    },
    log: (line) => console.error(`control plane: ${line}`),
    onUnexpectedExit: (name, lines) => console.error(`control plane: ${name} ended during the tests; its last log lines:\n${lines}`),
  });
  globalThis.trainyardTestControlPlane = controlPlane;
  process.env[KUBECONFIG_VARIABLE] = controlPlane.kubeconfigPath;
}
