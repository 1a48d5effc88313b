/** Arithmetic of IPv4 ranges: what a cluster's network is divided into. */

/** A range of addresses, with numbers for them. */
export interface Ipv4Range {
  readonly first: number;
  readonly last: number;
  readonly prefix: number;
}

/** `10.0.0.0/20` in numbers; undefined for anything that is no range or does not begin at its first address. */
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
 * Nodes that a range for pods has room for. GKE gives each node a block of at least twice as many addresses as it has pods.
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/flexible-pod-cidr
 */
export function nodesOfPodRange({ prefix }: Ipv4Range, maxPodsPerNode: number): number {
  const bitsPerNode = Math.ceil(Math.log2(maxPodsPerNode * 2));
  return Math.max(0, Math.floor(2 ** (32 - prefix - bitsPerNode)));
}

/** Addresses of nodes that a subnetwork has: four of each are Google's. */
export function nodesOfSubnetwork({ prefix }: Ipv4Range): number {
  return Math.max(0, 2 ** (32 - prefix) - 4);
}

/**
 * The first ranges of a size within another one.
 * @param within the range that they come from
 * @param prefix their size, such as 20
 * @param count how many of them
 * @returns the ranges as text; undefined where they do not fit
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
