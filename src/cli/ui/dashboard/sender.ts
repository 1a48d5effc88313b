/** Checks the host name and the origin of requests to the dashboard. */
import type http from 'node:http';
import { Refusal } from '../server/answers';

/** Names of the local machine, for `kubectl port-forward`. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Whether a request uses a name of the local machine. */
export function isLoopback(host: string | undefined): boolean {
  return LOOPBACK.includes(nameIn(host));
}

/**
 * Rejects requests to other names, which a site may have bound to this address, and requests from other sites. Only names of the local machine can be
 * used without HTTPS.
 * @param hosts allowed names, in addition to those of the local machine
 * @throws Refusal
 */
export function checkSender({ headers, url = '' }: http.IncomingMessage, hosts: readonly string[]): void {
  const { host, origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers;
  if (!isLoopback(host) && !hosts.includes(nameIn(host))) {
    throw new Refusal(403, `This dashboard does not serve the host name ${nameIn(host) || '(none)'}. Add it to hosts of TrainyardDashboard.`);
  }
  const own = [`https://${host}`, ...(isLoopback(host) ? [`http://${host}`] : [])];
  const isForeign = origin === undefined
    // A link on another site only opens the page.
    ? site !== undefined && !['same-origin', 'none'].includes(String(site)) && (mode !== 'navigate' || url.includes('/api/'))
    : !own.includes(origin.toLowerCase());
  if (isForeign) {
    throw new Refusal(403, 'Requests of other sites are refused.');
  }
}

function nameIn(host = ''): string {
  return host.toLowerCase().replace(/:\d+$/, '');
}
