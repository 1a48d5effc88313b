import { DRIVER_RULES } from '../../../src/manifests/spark/driver-access';

/** A request of the driver, and the class of Spark's Kubernetes backend that makes it. */
type Call = readonly [resource: string, verbs: string, by: string];

/**
 * What the driver of Spark 4 asks the API server for in cluster mode, from `resource-managers/kubernetes/core` of https://github.com/apache/spark.
 * The client of the backend (fabric8) waits for a pod by list and watch, edits one by get and patch, and deletes by a label as a collection; the
 * Service of the driver is created by who submits the application.
 */
const CALLS: readonly Call[] = [
  ['pods', 'get', 'ExecutorPodsAllocator: its own pod, which owns the executors'],
  ['pods', 'list watch', 'ExecutorPodsAllocator.start: waits until its own pod is ready'],
  ['pods', 'create', 'ExecutorPodsAllocator.requestNewExecutors'],
  ['pods', 'delete', 'ExecutorPodsAllocator.requestNewExecutors: an executor whose volumes failed'],
  ['pods', 'list deletecollection', 'ExecutorPodsAllocator.stop, onNewSnapshots: by the application\'s label'],
  ['pods', 'list', 'ExecutorPodsPollingSnapshotSource'],
  ['pods', 'watch', 'ExecutorPodsWatchSnapshotSource'],
  ['pods', 'get patch delete', 'ExecutorPodsLifecycleManager.removeExecutorFromK8s'],
  ['pods', 'list patch', 'KubernetesClusterSchedulerBackend.labelDecommissioningExecs'],
  ['pods', 'list deletecollection', 'KubernetesClusterSchedulerBackend.doKillExecutors'],
  ['configmaps', 'create', 'KubernetesClusterSchedulerBackend.setUpExecutorConfigMap'],
  ['configmaps', 'list deletecollection', 'KubernetesClusterSchedulerBackend.stop'],
  ['services', 'list deletecollection', 'KubernetesClusterSchedulerBackend.stop: the driver\'s Service'],
  ['persistentvolumeclaims', 'create', 'ExecutorPodsAllocator.requestNewExecutors: claims of executors'],
  ['persistentvolumeclaims', 'list', 'ExecutorPodsAllocator.getReusablePVCs'],
  ['persistentvolumeclaims', 'list deletecollection', 'KubernetesClusterSchedulerBackend.stop: claims that the driver owns'],
];

const verbsOf = (resource: string) => DRIVER_RULES.filter(({ resources }) => resources.includes(resource)).flatMap(({ verbs }) => verbs);

describe('the Role of a Spark driver', () => {
  test.each(CALLS)('has the right to %s: %s (%s)', (resource, verbs) => {
    expect(verbsOf(resource)).toEqual(expect.arrayContaining(verbs.split(' ')));
  });

  test('has no other resources, no wildcard, and no update, which the backend never asks for', () => {
    const resources = DRIVER_RULES.flatMap((rule) => [...rule.resources]);
    expect([...resources].sort()).toEqual([...new Set(CALLS.map(([resource]) => resource))].sort());
    expect(DRIVER_RULES.flatMap(({ apiGroups, verbs }) => [...apiGroups, ...verbs])).not.toContain('*');
    expect(resources.flatMap(verbsOf)).not.toContain('update');
  });
});
