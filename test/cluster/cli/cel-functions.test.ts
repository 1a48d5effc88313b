/** The functions that rules may use give what the API server's give: each expression is a rule of one definition, and both say which are broken. */
import { checkRules } from '../../../src/cli/crd/cel/rules';
import type { StructuralSchema } from '../../../src/cli/crd/structural-schema';
import { installCrds, removeCrd } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { judge } from '../support/submit';

/** Each is true of some of the texts below, and false of others, on either side alike. */
const OF_TEXTS = [
  'isQuantity(self)',
  'isQuantity(self) && quantity(self).isGreaterThan(quantity("1Gi"))',
  'isQuantity(self) && quantity(self).compareTo(quantity("1500m")) == 0',
  'isQuantity(self) && quantity(self).isLessThan(quantity("2")) && quantity(self).add(quantity("500m")).isGreaterThan(quantity("1.9"))',
  'isQuantity(self) && sign(quantity(self).sub(1)) == 1',
  'isQuantity(self) && quantity(self) == quantity("1.5")',
  'isQuantity(self) && quantity(self).asApproximateFloat() > 1.49',
  'isIP(self)',
  'isIP(self) && ip(self).family() == 4',
  'isIP(self) && ip.isCanonical(self)',
  'isIP(self) && ip(self).isLoopback()',
  'isIP(self) && ip(self).isUnspecified()',
  'isIP(self) && ip(self).isLinkLocalUnicast()',
  'isIP(self) && ip(self).isLinkLocalMulticast()',
  'isIP(self) && ip(self).isGlobalUnicast()',
  'isIP(self) && cidr("10.0.0.0/8").containsIP(self)',
  'isIP(self) && string(ip(self)).size() > 5',
  'isCIDR(self)',
  'isCIDR(self) && cidr(self).prefixLength() > 20',
  'isCIDR(self) && cidr("10.0.0.0/8").containsCIDR(self)',
  'isCIDR(self) && cidr(self).masked() == cidr(self)',
  'isCIDR(self) && cidr(self).ip().family() == 6',
  'isCIDR(self) && string(cidr(self)).startsWith("10.")',
  'isURL(self)',
  'isURL(self) && url(self).getScheme() == "https"',
  'isURL(self) && url(self).getHost() == "example.com:8443"',
  'isURL(self) && url(self).getHostname() == "::1"',
  'isURL(self) && url(self).getPort() == "8443"',
  'isURL(self) && url(self).getEscapedPath() == "/a%20b"',
  'isURL(self) && "q" in url(self).getQuery() && url(self).getQuery()["q"].size() == 2',
  'isSemver(self)',
  'isSemver(self) && semver(self).isLessThan(semver("1.2.3"))',
  'isSemver(self) && semver(self).major() == 1 && semver(self).minor() == 2',
  'isSemver(self) && semver(self).compareTo(semver("1.2.3")) == 0',
  'sets.contains(self.split(","), ["a", "b"])',
  'sets.equivalent(self.split(","), ["b", "a"])',
  'sets.intersects(self.split(","), ["c"])',
  'self.matches("^[[:alpha:]]+$")',
  'self.matches("(?i)^ABC$")',
  'self.lowerAscii() == self',
  'self.upperAscii() == self',
  'self.trim() == self',
  'self.replace("b", "x").contains("x")',
  'self.substring(0, size(self) > 2 ? 2 : size(self)) == "a,"',
  'self.indexOf(",") == 1',
  'self.lastIndexOf(",") > 1',
  'self.charAt(0) == "a"',
  'size(self) == 4',
  'self.split(",").size() == 4',
  'self.split(",", 2).size() == 1',
  'self.endsWith("c") && self.startsWith("a")',
];

/** The same, of the texts' parts. */
const OF_LISTS = [
  'self.isSorted()',
  'self.indexOf("b") == 1',
  'self.lastIndexOf("b") == 2',
  'self.max() == "c"',
  'self.min() == "a"',
  'self.map(part, size(part)).sum() == 3',
  'self.exists_one(part, part == "b")',
  'self.filter(part, part != "b").size() == 1',
  'self.all(part, part in ["a", "b", "c"])',
  'self.join("-") == "a-b-b-c"',
];

const RULES = [...OF_TEXTS, ...OF_LISTS];

const TEXTS = [
  '1.5', '1500m', '2Gi', '3', '2', '0.5', '-1', '5e3', '1.5Ki', '1Gi', '5 Gi',
  '10.1.2.3', '127.0.0.1', '0.0.0.0', '169.254.1.1', '224.0.0.5', '192.168.0.1', '::1', '::', 'fe80::1', '2001:db8::1', '2001:0db8:0:0:0:0:0:1', '2001:db8:0:0:1:0:0:1', 'ff02::1', '1.2.3', '01.2.3.4', '::ffff:1.2.3.4',
  '10.1.0.0/16', '10.1.2.3/24', '10.0.0.0/8', 'fd00::/64', '11.0.0.0/8', '10.0.0.0/33', '10.0.0.0/08',
  'https://example.com:8443/a%20b?q=1&q=2', 'http://[::1]:8443/', 'https://example.com', '/just/a/path', 'example.com', 'mailto:a@b', 'http://a b', 'https://u:p@example.com:8443', '//host/x',
  '1.2.3', '1.2.3-alpha.1', '1.2.3+build', '1.10.0', '0.9.0', 'v1.2.3', '1.2', '2.0.0-rc.1',
  'a,b,b,c', 'a,b', 'b,a', 'c', 'a,c,b', 'aa,b', 'abc', 'ABC', ' abc ', 'äöü', 'äöüß', 'ab1c', 'abc ',
];

const NAMES = { kind: 'Function', plural: 'functions', singular: 'function', listKind: 'FunctionList' };
const SCHEMA: StructuralSchema = {
  type: 'object',
  properties: {
    text: {
      'type': 'string',
      'maxLength': 40,
      'x-kubernetes-validations': OF_TEXTS.map((rule) => ({ rule, message: `#${RULES.indexOf(rule)}` })),
    },
    parts: {
      'type': 'array',
      'maxItems': 4,
      'items': { type: 'string', maxLength: 40 },
      'x-kubernetes-validations': OF_LISTS.map((rule) => ({ rule, message: `#${RULES.indexOf(rule)}` })),
    },
  },
};
const CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'functions.test.trainyard.dev' },
  spec: {
    group: 'test.trainyard.dev', scope: 'Namespaced', names: NAMES, versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: SCHEMA } }],
  },
};

let namespace: string;

beforeAll(async () => {
  await installCrds([CRD]);
  namespace = await createNamespace('functions');
});

afterAll(async () => {
  await deleteNamespace(namespace);
  await removeCrd('functions.test.trainyard.dev', 'v1');
});

const broken = (messages: readonly string[]) => messages.flatMap((message) => /#(\d+)/.exec(message)?.[1] ?? []).map((index) => RULES[Number(index)]).sort();

const everBroken = new Set<string>();
const everKept = new Set<string>();

test.each([...new Set(TEXTS)])('of %j', async (text) => {
  const object = { apiVersion: 'test.trainyard.dev/v1', kind: 'Function', metadata: { name: 'x' }, text, parts: text.split(',') };
  const verdict = await judge(`/apis/test.trainyard.dev/v1/namespaces/${namespace}/functions`, object);
  const server = broken(verdict.complaints.map(({ message }) => message));
  const { findings, unchecked } = checkRules(SCHEMA, object);
  expect(unchecked).toEqual([]);
  expect(broken(findings.map(({ message }) => message))).toEqual(server);
  RULES.forEach((rule) => (server.includes(rule) ? everBroken : everKept).add(rule));
});

test('every expression was true of some text and false of another', () => {
  expect(RULES.filter((rule) => !everBroken.has(rule) || !everKept.has(rule))).toEqual([]);
});
