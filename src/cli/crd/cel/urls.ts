/** URLs in CEL: absolute URLs and absolute paths, as in Go's `url.ParseRequestURI`. */
import { CelScalar, celFunc, celMethod, listType, mapType, type CelFunc, type CelMap } from '@bufbuild/cel';
import { OPAQUE, contentOf, notParsed, opaque } from './opaque';

interface Url {
  readonly scheme: string;
  readonly host: string;
  readonly port: string;
  readonly path: string;
  readonly query: string;
}

function parse(text: string): Url | undefined {
  // eslint-disable-next-line no-control-regex
  if (text === '' || /[\x00-\x20\x7f]/.test(text) || /%(?![0-9a-fA-F]{2})/.test(text)) {
    return undefined;
  }
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)?.[1] ?? '';
  const rest = scheme === '' ? text : text.slice(scheme.length + 1);
  const mark = rest.indexOf('?');
  const [hierarchy, query] = mark === -1 ? [rest, ''] : [rest.slice(0, mark), rest.slice(mark + 1)];
  const authority = /^\/\/([^/]*)/.exec(hierarchy)?.[1];
  const path = authority === undefined ? hierarchy : hierarchy.slice(2 + authority.length);
  const [, host, port = ''] = /^(?:[^@]*@)?(\[[^\]]*\]|[^:[\]]*)(?::(\d*))?$/.exec(authority ?? '') ?? [];
  if (host === undefined || (scheme === '' && !path.startsWith('/') && authority === undefined)) {
    return undefined;
  }
  return { scheme: scheme.toLowerCase(), host, port, path: authority === undefined && !path.startsWith('/') ? '' : path, query };
}

const urlOf = (value: CelMap) => parse(contentOf('url', value))!;
const { BOOL, STRING } = CelScalar;

function getter(name: string, read: (url: Url) => string): CelFunc {
  return celMethod(name, OPAQUE, [], STRING, function () {
    return read(urlOf(this));
  });
}

/** @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-url-library */
export const URL_FUNCTIONS: readonly CelFunc[] = [
  celFunc('url', [STRING], OPAQUE, (text) => {
    if (parse(text) === undefined) {
      throw notParsed('url', text);
    }
    return opaque('url', text);
  }),
  celFunc('isURL', [STRING], BOOL, (text) => parse(text) !== undefined),
  getter('getScheme', ({ scheme }) => scheme),
  getter('getHost', ({ host, port }) => (port === '' ? host : `${host}:${port}`)),
  getter('getHostname', ({ host }) => host.replace(/^\[|\]$/g, '')),
  getter('getPort', ({ port }) => port),
  getter('getEscapedPath', ({ path }) => path),
  celMethod('getQuery', OPAQUE, [], mapType(STRING, listType(STRING)), function () {
    const query = new Map<string, string[]>();
    for (const [name, value] of new URLSearchParams(urlOf(this).query)) {
      query.set(name, [...query.get(name) ?? [], value]);
    }
    return query;
  }),
];
