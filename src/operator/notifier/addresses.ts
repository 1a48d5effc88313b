/**
 * Where the notifier may connect to. Users of the cluster write the addresses, and the notifier is inside its network: it would reach the API of the
 * cloud's metadata, the node and services that trust the cluster. So the address that is connected to has to be a public one or one that the
 * notifier's own settings allow; names are looked up once, by the connection itself, so that no second answer of a DNS server counts.
 */
import dns from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * IPv4 ranges that are not public, and the address of Azure's metadata, which is. @see https://www.iana.org/assignments/iana-ipv4-special-registry
 */
const NOT_PUBLIC: readonly string[] = [
  '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24',
  '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3', '168.63.129.16/32',
];

/**
 * The IPv6 addresses that are public, and those of them that stand for IPv4 addresses or for documentation. All others are refused, among them
 * loopback, local and link-local ones, and IPv4 addresses in the form of IPv6. @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const PUBLIC_IPV6 = '2000::/3';
const NOT_PUBLIC_IPV6: readonly string[] = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

/** Thrown in place of a connection. */
class AddressRefusedError extends Error {
  public constructor(address: string) {
    super(`${address} is not a public address. To allow it, add it to allowedAddresses of TrainyardNotifier`);
    this.name = 'AddressRefusedError';
  }
}

/** See the top of this file. */
export class AddressGuard {
  private readonly notPublic = blockListOf([...NOT_PUBLIC, ...NOT_PUBLIC_IPV6]);
  private readonly publicIpv6 = blockListOf([PUBLIC_IPV6]);
  private readonly allowed: BlockList;

  /**
   * @param allowed ranges such as `10.8.0.0/16` that may be connected to although they are not public
   * @param resolve looks names up
   * @throws Error for what is not a range
   */
  public constructor(allowed: readonly string[], private readonly resolve: typeof dns.lookup = dns.lookup) {
    this.allowed = blockListOf(allowed);
  }

  /** Whether an IP address may be connected to. */
  public isAllowed(address: string): boolean {
    const version = isIP(address);
    if (version === 0 || address.includes('%')) {
      return false;
    }
    const family = version === 4 ? 'ipv4' : 'ipv6';
    return this.allowed.check(address, family)
      || (!this.notPublic.check(address, family) && (version === 4 || (this.publicIpv6.check(address, family))));
  }

  /** Throws if a host is an IP address that may not be connected to; Node asks {@link lookup} about names only. @param host as in a URL */
  public checkHost(host: string): void {
    const address = host.startsWith('[') ? host.slice(1, -1) : host;
    if (isIP(address) !== 0 && !this.isAllowed(address)) {
      throw new AddressRefusedError(address);
    }
  }

  /** For connections of Node: fails unless all addresses of a name may be connected to. */
  public readonly lookup: LookupFunction = (host, options, callback) => {
    this.resolve(host, { ...options, all: true }, (error, addresses) => {
      const refused = error === null ? addresses.find(({ address }) => !this.isAllowed(address)) : undefined;
      if (error !== null || refused !== undefined || addresses.length === 0) {
        callback(error ?? new AddressRefusedError(refused?.address ?? host), '', 0);
      } else if (options.all === true) {
        callback(null, addresses);
      } else {
        callback(null, addresses[0].address, addresses[0].family);
      }
    });
  };
}

function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address, bits = ''] = range.split('/');
    const version = isIP(address);
    if (version === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (version === 4 ? 32 : 128)) {
      throw new Error(`Reading the allowed addresses of the notifier: '${range}' is not a range of addresses. Write one such as 10.8.0.0/16, or 10.8.0.7/32.`);
    }
    list.addSubnet(address, Number(bits), version === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}
