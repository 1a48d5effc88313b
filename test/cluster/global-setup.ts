import { COMPONENT_NAMES, ControlPlane, resolveBinaries } from '../../src/local/control-plane';
import { kubeconfigVariable } from './support/cluster';

declare global {
  var trainyardTestControlPlanes: readonly ControlPlane[] | undefined;
}

const log = (line: string) => console.error(`control plane: ${line}`);

/**
 * Starts a control plane for each worker of jest, and tells their kubeconfigs by the environment: the files that a worker runs, one after the other,
 * share one, and files of two workers are in nobody's way.
 */
export default async function setUp({ maxWorkers }: { readonly maxWorkers: number }): Promise<void> {
  // Go's own 100 collects garbage all the time while large definitions are taken in: a third of what that costs.
  process.env.GOGC ??= '200';
  // All of them, also those that only some tests start: here a build may take its minutes, inside a test it would meet the test's time-out.
  await resolveBinaries(COMPONENT_NAMES, { log });
  const controlPlanes = await Promise.all(Array.from({ length: maxWorkers }, start));
  globalThis.trainyardTestControlPlanes = controlPlanes;
  controlPlanes.forEach(({ kubeconfigPath }, index) => { process.env[kubeconfigVariable(index + 1)] = kubeconfigPath; });
}

/**
 * Of kube-controller-manager's controllers it runs those that tests of an operator lean on: owners' garbage collection, the deletion of
 * namespaces, the ServiceAccount without which a namespace takes no pods, and the rules of aggregated roles such as `view`. The others would
 * only do unasked things, such as evicting pods from nodes that no kubelet reports about. There is no scheduler and no kubelet: a pod stays
 * Pending until a test writes its status.
 */
function start(): Promise<ControlPlane> {
  return ControlPlane.start({
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
}
