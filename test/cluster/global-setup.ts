import { COMPONENT_NAMES, ControlPlane, resolveBinaries } from '../../src/local/control-plane';
import { kubeconfigVariable } from './support/cluster';
import { CONTROLLERS } from './support/controllers';

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

/** There is no scheduler and no kubelet: a pod stays Pending until a test writes its status. */
function start(): Promise<ControlPlane> {
  return ControlPlane.start({
    controllerManager: { controllers: CONTROLLERS },
    log,
    onUnexpectedExit: (name, lines) => log(`${name} ended during the tests; its last log lines:\n${lines}`),
  });
}
