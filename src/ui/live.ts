/** Data that the server sends as it changes. */
import { useEffect, useState } from 'preact/hooks';

/** Name of the event of the window that a view was refused: the user may not be signed in any more. */
export const REFUSED = 'trainyard-refused';

/** What is known, and whether the server can be heard. */
export interface Live<T> {
  readonly data?: T;
  /** Why there is nothing new. */
  readonly problem?: string;
}

/** Listens to an address until the page goes. The browser connects again by itself after a lost connection. */
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
      const why = isRefused ? 'The server does not serve this view. Reload the page.' : 'The connection is lost. Trying again.';
      setLive((before) => ({ ...before, problem: isRefused ? why : before.problem ?? why }));
      if (isRefused) {
        dispatchEvent(new Event(REFUSED));
      }
    };
    return () => source.close();
  }, [address]);
  return live;
}

/** Asks an address once, and again when it changes. */
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

/** The part of an address behind #, such as `/jobs?state=Failed`. */
export function routeOf(hash: string): readonly [path: string, query: URLSearchParams] {
  const [path, query = ''] = hash.slice(1).split('?');
  return [path || '/', new URLSearchParams(query)];
}

/** That of the page, which follows when it changes. */
export function useRoute(): readonly [path: string, query: URLSearchParams] {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener('hashchange', changed);
    // Effects run after the first render, so nothing was listening for changes until now.
    changed();
    return () => removeEventListener('hashchange', changed);
  }, []);
  return routeOf(hash);
}

/** Goes on with another filter, so that the address can be shared and the way back works. */
export function setQuery(path: string, query: URLSearchParams): void {
  const text = query.toString();
  location.replace(`#${path}${text === '' ? '' : `?${text}`}`);
}

/**
 * Follows the namespace that is chosen in a page around this one, as Kubeflow's central dashboard has it.
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
    // To whomever: it says only that we are here.
    parent.postMessage({ type: 'iframe-connected' }, '*');
    return () => removeEventListener('message', heard);
  }, [ancestors]);
}

/** The time, every second. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
