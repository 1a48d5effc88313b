/** Arithmetic of IPv4 ranges, which the network of a cluster is divided into. */

/** A range of addresses, as numbers. */
export interface Ipv4Range {
  readonly first: number;
  readonly last: number;
  readonly prefix: number;
}

/** Parses `10.0.0.0/20`. Returns undefined for text that is not a range, or that does not begin at the first address of its range. */
export function tryParseRange(text: string): Ipv4Range | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(text);
  if (match === null) {
    return undefined;
  }
  const [, ...numbers] = match.map(Number);
  const [a, b, c, d, prefix] = numbers;
  if ([a, b, c, d].some((byte) => byte > 255) || prefix > 32) {
    return undefined;
  }
  const first = a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d;
  const size = 2 ** (32 - prefix);
  return first % size === 0 ? { first, last: first + size - 1, prefix } : undefined;
}

/** Whether two ranges have an address in common. */
export function overlap(one: Ipv4Range, other: Ipv4Range): boolean {
  return one.first <= other.last && other.first <= one.last;
}

/**
 * The number of nodes that fit into a range for pods. GKE gives each node a block with at least twice as many addresses as it has pods.
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/flexible-pod-cidr
 */
export function nodesOfPodRange({ prefix }: Ipv4Range, maxPodsPerNode: number): number {
  const bitsPerNode = Math.ceil(Math.log2(maxPodsPerNode * 2));
  return Math.max(0, Math.floor(2 ** (32 - prefix - bitsPerNode)));
}

/** The number of nodes that fit into a subnetwork: Google reserves four addresses. */
export function nodesOfSubnetwork({ prefix }: Ipv4Range): number {
  return Math.max(0, 2 ** (32 - prefix) - 4);
}

/**
 * The first ranges of a given size within another range.
 * @param within the range to split
 * @param prefix the size of the ranges, such as 20
 * @param count the number of ranges
 * @returns the ranges as text, or undefined if they do not fit
 */
export function trySplitRange(within: Ipv4Range, prefix: number, count: number): string[] | undefined {
  const size = 2 ** (32 - prefix);
  if (prefix < within.prefix || prefix > 32 || within.first + count * size - 1 > within.last) {
    return undefined;
  }
  return Array.from({ length: count }, (_range, index) => rangeText(within.first + index * size, prefix));
}

function rangeText(first: number, prefix: number): string {
  return `${[24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join('.')}/${prefix}`;
}
