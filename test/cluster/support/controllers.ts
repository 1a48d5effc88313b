/**
 * Controllers of kube-controller-manager that tests of an operator depend on: owners' garbage collection, the deletion of namespaces, the
 * ServiceAccount without which a namespace takes no pods, and the rules of aggregated roles such as `view`. The others would only do unasked things,
 * such as evicting pods from nodes that no kubelet reports about.
 */
export const CONTROLLERS: readonly string[] = [
  'garbage-collector-controller',
  'namespace-controller',
  'serviceaccount-controller',
  'root-ca-certificate-publisher-controller',
  'clusterrole-aggregation-controller',
];
