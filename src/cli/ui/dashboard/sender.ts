/** Which names the dashboard answers to, and which sites it takes requests from. */
import type http from 'node:http';
import { Refusal } from '../server/answers';

/** Names of the machine itself: of `kubectl port-forward`. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Whether a request came by a name of the machine itself. */
export function isLoopback(host: string | undefined): boolean {
  return LOOPBACK.includes(nameIn(host));
}

/**
 * Refuses requests to other names, which a site may have bound to this address, and those of other sites. Pages come over HTTPS; only names of the
 * machine itself may do without.
 * @param hosts allowed names, besides those of the machine itself
 * @throws Refusal
 */
export function checkSender({ headers, url = '' }: http.IncomingMessage, hosts: readonly string[]): void {
  const { host, origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers;
  if (!isLoopback(host) && !hosts.includes(nameIn(host))) {
    throw new Refusal(403, `This dashboard does not answer to the name ${nameIn(host) || '(none)'}. Add it to hosts of TrainyardDashboard.`);
  }
  const own = [`https://${host}`, ...(isLoopback(host) ? [`http://${host}`] : [])];
  const isForeign = origin === undefined
    // Whoever follows a link comes from another site too, and only sees the page.
    ? site !== undefined && !['same-origin', 'none'].includes(String(site)) && (mode !== 'navigate' || url.includes('/api/'))
    : !own.includes(origin.toLowerCase());
  if (isForeign) {
    throw new Refusal(403, 'Requests of other sites are refused.');
  }
}

function nameIn(host = ''): string {
  return host.toLowerCase().replace(/:\d+$/, '');
}
