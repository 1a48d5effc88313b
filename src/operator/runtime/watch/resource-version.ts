/**
 * Order of two resource versions of objects of the SAME resource type.
 *
 * For long the API called resource versions opaque; since Kubernetes 1.35 it guarantees that they are decimal numbers without leading
 * zeros which grow with time (KEP-5504), which etcd-backed servers always did. They may exceed 2^53, so they are compared as strings:
 * the longer is larger, equal lengths compare lexicographically.
 * @returns negative, zero or positive; undefined when one of them is not such a number (an aggregated API server with its own
 *   scheme), in which case only equality means anything.
 * @see https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/5504-comparable-resource-version
 */
export function compareResourceVersions(left: string, right: string): number | undefined {
  if (left === right) {
    return 0;
  }
  if (!isComparable(left) || !isComparable(right)) {
    return undefined;
  }
  if (left.length !== right.length) {
    return left.length - right.length;
  }
  return left < right ? -1 : 1;
}

/** Whether this resource version follows the numeric form. "0" does not: in requests it means "any version". */
export function isComparable(resourceVersion: string): boolean {
  return /^[1-9][0-9]*$/.test(resourceVersion);
}

/** Whether `version` is known to be no newer than `bound`; false when that cannot be said. */
export function isAtMost(version: string, bound: string): boolean {
  const order = compareResourceVersions(version, bound);
  return order !== undefined && order <= 0;
}
