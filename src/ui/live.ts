/** Data that the server sends as it changes. */
import { useEffect, useState } from 'preact/hooks';

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
    source.onerror = () => setLive((before) => ({ ...before, problem: before.problem ?? 'The connection to trainyard ui is lost. Trying again.' }));
    return () => source.close();
  }, [address]);
  return live;
}

/** The part of the address behind #, such as `/jobs?state=Failed`, and how to go elsewhere. */
export function useRoute(): readonly [path: string, query: URLSearchParams] {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  const [path, query = ''] = hash.slice(1).split('?');
  return [path || '/', new URLSearchParams(query)];
}

/** Goes on with another filter, so that the address can be shared and the way back works. */
export function setQuery(path: string, query: URLSearchParams): void {
  const text = query.toString();
  location.replace(`#${path}${text === '' ? '' : `?${text}`}`);
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
