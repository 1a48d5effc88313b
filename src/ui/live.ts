/** Data from the server, and the route of the page. */
import { useEffect, useState } from 'preact/hooks';
import { ACTION_HEADER, type UiAction, type UiSignIn } from '../cli/ui/protocol';

/** Event of the window after the server refused a view: the session may have ended. */
export const REFUSED = 'trainyard-refused';

/** The latest data, and the state of the connection. */
export interface Live<T> {
  readonly data?: T;
  /** Why there are no updates. */
  readonly problem?: string;
}

/** Receives updates from an address until the page is closed. The browser reconnects automatically. */
export function useLive<T>(address: string, event: string): Live<T> {
  const [live, setLive] = useState<Live<T>>({});
  useEffect(() => {
    setLive({});
    const source = new EventSource(address);
    source.addEventListener(event, ({ data }: MessageEvent<string>) => setLive({ data: JSON.parse(data) as T }));
    source.addEventListener('problem', ({ data }: MessageEvent<string>) => (
      setLive((before) => ({ ...before, problem: (JSON.parse(data) as { readonly message: string }).message }))));
    source.onerror = () => {
      const isRefused = source.readyState === EventSource.CLOSED;
      const why = isRefused ? 'The server does not serve this view. Reload the page.' : 'The connection is lost. Reconnecting ...';
      setLive((before) => ({ ...before, problem: isRefused ? why : before.problem ?? why }));
      if (isRefused) {
        dispatchEvent(new Event(REFUSED));
      }
    };
    return () => source.close();
  }, [address]);
  return live;
}

/** Receives updates of a view. @param namespace `*` for all namespaces */
export function useView<T>(view: string, namespace: string): Live<T> {
  return useLive(`api/${view}${namespace === '*' ? '' : `?namespace=${encodeURIComponent(namespace)}`}`, view);
}

/** Reads an address once, and again when the address changes. */
export function useAnswer<T>(address: string): Live<T> {
  const [live, setLive] = useState<Live<T>>({});
  useEffect(() => {
    const abort = new AbortController();
    setLive({});
    const load = async () => {
      const response = await fetch(address, { signal: abort.signal });
      const body = await response.json() as T & { readonly message?: string };
      if (response.status === 401) {
        dispatchEvent(new Event(REFUSED));
      }
      setLive(response.ok ? { data: body } : { problem: body.message ?? 'The server cannot answer.' });
    };
    load().catch(() => {
      if (!abort.signal.aborted) {
        setLive({ problem: 'The server does not answer. Reload the page.' });
      }
    });
    return () => abort.abort();
  }, [address]);
  return live;
}

/** Sends a change or a token to the server. */
export async function post(address: string, body: UiAction | UiSignIn): Promise<Response> {
  return fetch(address, { method: 'POST', headers: { 'content-type': 'application/json', [ACTION_HEADER]: '1' }, body: JSON.stringify(body) });
}

/** The part of an address after #, such as `/jobs?state=Failed`. */
export function routeOf(hash: string): readonly [path: string, query: URLSearchParams] {
  const [path, query = ''] = hash.slice(1).split('?');
  return [path || '/', new URLSearchParams(query)];
}

/** The route of the page. */
export function useRoute(): readonly [path: string, query: URLSearchParams] {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener('hashchange', changed);
    // Effects run after the first render, so an earlier change was missed.
    changed();
    return () => removeEventListener('hashchange', changed);
  }, []);
  return routeOf(hash);
}

/** Replaces the route, so that the address can be shared and the back button leaves the page. */
export function setQuery(path: string, query: URLSearchParams): void {
  const text = query.toString();
  location.replace(`#${path}${text === '' ? '' : `?${text}`}`);
}

/** Changes one filter, and returns to the first page of a list. An empty value removes the filter. */
export function setFilter(path: string, query: URLSearchParams, name: string, value: string): void {
  const filters = { ...Object.fromEntries(query), [name]: value, before: '' };
  setQuery(path, new URLSearchParams(Object.entries(filters).filter(([, text]) => text !== '')));
}

/**
 * Follows the namespace that is selected in a page around this one, such as Kubeflow's central dashboard.
 * @param ancestors origins of such pages; `'self'` is this one's
 * @see https://github.com/kubeflow/kubeflow/blob/v1.9.2/components/centraldashboard/public/library.js
 */
export function useNamespaceOfParent(ancestors: readonly string[] | undefined, choose: (namespace: string) => void): void {
  useEffect(() => {
    if (ancestors === undefined || parent === window) {
      return undefined;
    }
    const heard = ({ source, origin, data }: MessageEvent<{ readonly type?: unknown; readonly value?: unknown } | null>) => {
      if (source !== parent || !ancestors.some((ancestor) => origin === (ancestor === "'self'" ? location.origin : ancestor))) {
        return;
      }
      if (data?.type === 'namespace-selected' && typeof data.value === 'string') {
        choose(data.value);
      } else if (data?.type === 'all-namespaces') {
        choose('*');
      }
    };
    addEventListener('message', heard);
    // To any origin: the message has no data.
    parent.postMessage({ type: 'iframe-connected' }, '*');
    return () => removeEventListener('message', heard);
  }, [ancestors]);
}

/** The current time, updated every second. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
