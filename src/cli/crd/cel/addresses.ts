/** Addresses and address ranges in CEL. */
import net from 'node:net';
import { CelScalar, celFunc, celMethod, type CelFunc, type CelMap } from '@bufbuild/cel';
import { OPAQUE, contentOf, notParsed, opaque, isOpaque } from './opaque';

/** An address as a number of 32 or 128 bits. */
interface Address {
  readonly family: 4 | 6;
  readonly bits: bigint;
}

interface Range {
  readonly address: Address;
  readonly prefix: number;
}

/** Undefined for other text. As in Kubernetes, zones and IPv4 in the form of IPv6 are not allowed. */
function parseAddress(text: string): Address | undefined {
  const family = text.includes('%') ? 0 : net.isIP(text);
  if (family === 4) {
    return { family, bits: text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n) };
  }
  if (family !== 6) {
    return undefined;
  }
  const [head, tail] = canonicalV6(text).split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const missing = tail === undefined ? 0 : 8 - head.length - tail.length;
  const groups = [...head, ...Array<string>(missing).fill('0'), ...tail ?? []];
  const bits = groups.reduce((sum, group) => sum * 65536n + BigInt(`0x${group}`), 0n);
  return bits >> 32n === 0xffffn ? undefined : { family, bits };
}

function parseRange(text: string): Range | undefined {
  const [, written, prefix] = /^([^/]+)\/(\d|[1-9]\d{1,2})$/.exec(text) ?? [];
  const address = written === undefined ? undefined : parseAddress(written);
  return address === undefined || Number(prefix) > sizeOf(address) ? undefined : { address, prefix: Number(prefix) };
}

const sizeOf = ({ family }: Address) => (family === 4 ? 32 : 128);

/** The network part of an address, as a number. */
function network(address: Address, prefix: number): bigint {
  return address.bits >> BigInt(sizeOf(address) - prefix);
}

function show({ family, bits }: Address): string {
  if (family === 4) {
    return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 255n).join('.');
  }
  const groups = Array.from({ length: 8 }, (_unused, index) => ((bits >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
  return canonicalV6(groups.join(':'));
}

/** The canonical text of an IPv6 address, as in a URL. */
function canonicalV6(text: string): string {
  return new URL(`http://[${text}]`).hostname.slice(1, -1);
}

function ip(text: string): Map<string, string> {
  const address = parseAddress(text);
  if (address === undefined) {
    throw notParsed('ip', text);
  }
  return opaque('ip', show(address));
}

function cidr(text: string): Map<string, string> {
  const range = parseRange(text);
  if (range === undefined) {
    throw notParsed('cidr', text);
  }
  return opaque('cidr', `${show(range.address)}/${range.prefix}`);
}

const addressOf = (value: CelMap) => parseAddress(contentOf('ip', value))!;
const rangeOf = (value: CelMap) => parseRange(contentOf('cidr', value))!;

function contains(range: Range, address: Address): boolean {
  return range.address.family === address.family && network(range.address, range.prefix) === network(address, range.prefix);
}

/** Whether an address is in the range of its family. */
function within(ipv4: string, ipv6: string): (this: CelMap) => boolean {
  return function () {
    const address = addressOf(this);
    return contains(parseRange(address.family === 4 ? ipv4 : ipv6)!, address);
  };
}

const { BOOL, INT, STRING } = CelScalar;

/** As in Go: private addresses are global. */
function isGlobalUnicast(this: CelMap): boolean {
  const address = addressOf(this);
  const others = address.family === 4
    ? ['0.0.0.0/32', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '255.255.255.255/32']
    : ['::/128', '::1/128', 'fe80::/10', 'ff00::/8'];
  return !others.some((range) => contains(parseRange(range)!, address));
}

/** @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-ip-address-library */
export const ADDRESS_FUNCTIONS: readonly CelFunc[] = [
  celFunc('ip', [STRING], OPAQUE, ip),
  celFunc('isIP', [STRING], BOOL, (text) => parseAddress(text) !== undefined),
  celFunc('ip.isCanonical', [STRING], BOOL, (text) => contentOfMap(ip(text)) === text),
  celMethod('family', OPAQUE, [], INT, function () {
    return BigInt(addressOf(this).family);
  }),
  celMethod('isUnspecified', OPAQUE, [], BOOL, within('0.0.0.0/32', '::/128')),
  celMethod('isLoopback', OPAQUE, [], BOOL, within('127.0.0.0/8', '::1/128')),
  celMethod('isLinkLocalMulticast', OPAQUE, [], BOOL, within('224.0.0.0/24', 'ff02::/16')),
  celMethod('isLinkLocalUnicast', OPAQUE, [], BOOL, within('169.254.0.0/16', 'fe80::/10')),
  celMethod('isGlobalUnicast', OPAQUE, [], BOOL, isGlobalUnicast),
  celFunc('cidr', [STRING], OPAQUE, cidr),
  celFunc('isCIDR', [STRING], BOOL, (text) => parseRange(text) !== undefined),
  celMethod('containsIP', OPAQUE, [STRING], BOOL, function (text) {
    return contains(rangeOf(this), parseAddress(contentOfMap(ip(text)))!);
  }),
  celMethod('containsIP', OPAQUE, [OPAQUE], BOOL, function (address) {
    return contains(rangeOf(this), addressOf(address));
  }),
  celMethod('containsCIDR', OPAQUE, [STRING], BOOL, function (text) {
    return containsRange(rangeOf(this), parseRange(contentOfMap(cidr(text)))!);
  }),
  celMethod('containsCIDR', OPAQUE, [OPAQUE], BOOL, function (range) {
    return containsRange(rangeOf(this), rangeOf(range));
  }),
  celMethod('ip', OPAQUE, [], OPAQUE, function () {
    return opaque('ip', show(rangeOf(this).address));
  }),
  celMethod('masked', OPAQUE, [], OPAQUE, function () {
    const { address, prefix } = rangeOf(this);
    const bits = network(address, prefix) << BigInt(sizeOf(address) - prefix);
    return opaque('cidr', `${show({ ...address, bits })}/${prefix}`);
  }),
  celMethod('prefixLength', OPAQUE, [], INT, function () {
    return BigInt(rangeOf(this).prefix);
  }),
  celFunc('string', [OPAQUE], STRING, (value) => contentOf(isOpaque('cidr', value) ? 'cidr' : 'ip', value)),
];

function containsRange(outer: Range, inner: Range): boolean {
  return inner.prefix >= outer.prefix && contains(outer, inner.address);
}

function contentOfMap(value: Map<string, string>): string {
  return [...value.values()][0];
}
