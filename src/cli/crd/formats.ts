/**
 * Formats of texts that the API server checks; it ignores all others. A duration is what Go's `time.ParseDuration` takes.
 * @see https://github.com/kubernetes/kube-openapi/tree/master/pkg/validation/strfmt
 */
import net from 'node:net';

const DATE = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}([.,]\d+)?([Zz]|[+-]\d{2}:\d{2})$/;
const GO_DURATION = /^[-+]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/;
const WORD_DURATION = /^\s*\d+(\.\d+)?\s*(ns|nano|us|µs|µ|μ|micro|ms|milli|s|sec|m|min|h|hr|hour|d|day|w|wk|week)s?\s*$/i;
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const BASE64 = /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const MAC = /^([0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}$/;

interface Format {
  readonly test: (text: string) => boolean;
  /** The rest of "must be ...". */
  readonly rule: string;
}

const FORMATS: { readonly [format: string]: Format } = {
  'date': { test: (text) => DATE.test(text), rule: 'a date such as 2026-01-31' },
  'date-time': { test: (text) => DATE_TIME.test(text) && !Number.isNaN(Date.parse(text)), rule: 'a time such as 2026-01-31T08:00:00Z' },
  'duration': { test: (text) => GO_DURATION.test(text) || WORD_DURATION.test(text), rule: 'a duration such as 90s, 5m or 1h30m' },
  'uuid': { test: (text) => UUID.test(text), rule: 'a UUID' },
  // Lines may be wrapped, as `base64` does.
  'byte': { test: (text) => BASE64.test(text.replace(/[\r\n]/g, '')), rule: 'base64' },
  'ipv4': { test: (text) => net.isIPv4(text), rule: 'an address such as 10.0.0.1' },
  'ipv6': { test: (text) => net.isIPv6(text), rule: 'an address such as fd00::1' },
  'cidr': { test: isCidr, rule: 'a range of addresses such as 10.8.0.0/16' },
  'mac': { test: (text) => MAC.test(text), rule: 'a hardware address such as 01:23:45:67:89:ab' },
  'email': { test: (text) => /^[^@\s]+@[^@\s]+$/.test(text), rule: 'an e-mail address' },
  'uri': { test: isUri, rule: 'a URI such as https://example.com/path' },
};

/** What a text has to be by its format, as the rest of "must be ..."; undefined when it is, or when nobody checks the format. */
export function formatObjection(format: string, text: string): string | undefined {
  const known = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  return known === undefined || known.test(text) ? undefined : known.rule;
}

function isCidr(text: string): boolean {
  const [address, prefix, ...rest] = text.split('/');
  return rest.length === 0 && /^\d{1,3}$/.test(prefix ?? '') && net.isIP(address) > 0 && Number(prefix) <= (net.isIPv4(address) ? 32 : 128);
}

function isUri(text: string): boolean {
  // As Go's url.ParseRequestURI: absolute, or a path from the root.
  return text.startsWith('/') || /^[a-zA-Z][a-zA-Z0-9+.-]*:./.test(text);
}
