/**
 * Access for users that a proxy has authenticated and names in a header. A client that bypasses the proxy could send any name, so the NetworkPolicy
 * of `TrainyardDashboard` allows only the proxy. Requests to the API server impersonate the user.
 */
import type http from 'node:http';
import { checkSender } from './sender';
import { Impersonation, type Users } from './users';
import { Refusal } from '../server/answers';
import type { UiAccess, UiUser } from '../server/server';
import type { HeaderAuthSpec } from '../../../model/dashboard/dashboard';
import type { CredentialSource } from '../../../operator/runtime/credentials/credentials';

/** Names of headers are in lower case. */
export interface HeaderAccessOptions
  extends Pick<HeaderAuthSpec, 'userHeader' | 'headerPrefix' | 'userPrefix' | 'groupsHeader' | 'groupPrefix'> {
  readonly hosts: readonly string[];
}

/** Maximum number of characters of a name, and of groups of a user. */
const MAX_NAME = 256;
const MAX_GROUPS = 200;

export class HeaderAccess implements UiAccess {
  public readonly protectsPages = true;

  /** @param own the dashboard's credentials, which may impersonate */
  public constructor(private readonly users: Users, private readonly own: CredentialSource, private readonly options: HeaderAccessOptions) {}

  public checkSender(request: http.IncomingMessage): void {
    // A forwarded port bypasses the NetworkPolicy and connects from here. Sidecars of a mesh connect from 127.0.0.6.
    if (['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(request.socket.remoteAddress ?? '')) {
      throw new Refusal(403, 'This dashboard authenticates users with a proxy: open the address of the proxy. Forwarded ports are rejected.');
    }
    checkSender(request, this.options.hosts);
  }

  public async handle(): Promise<boolean> {
    return false;
  }

  public async user(request: http.IncomingMessage): Promise<UiUser> {
    const { userHeader, headerPrefix = '', userPrefix = '', groupsHeader, groupPrefix = '' } = this.options;
    const shown = valueOf(request, userHeader) ?? '';
    if (!shown.startsWith(headerPrefix) || shown.length === headerPrefix.length) {
      throw new Refusal(401, `The proxy has not sent a user: the header ${userHeader} is missing, empty, or does not begin with '${headerPrefix}'.`);
    }
    const user = `${userPrefix}${checked(shown.slice(headerPrefix.length), userHeader)}`;
    const listed = groupsHeader === undefined ? [] : (valueOf(request, groupsHeader) ?? '').split(',').map((group) => group.trim()).filter((group) => group !== '');
    if (listed.length > MAX_GROUPS) {
      throw new Refusal(403, `The header ${groupsHeader} has ${listed.length} groups, and may have ${MAX_GROUPS}. Configure the proxy to send only groups that the cluster uses.`);
    }
    const groups = [...new Set(listed)].sort().map((group) => `${groupPrefix}${checked(group, groupsHeader!)}`);
    const key = JSON.stringify([user, groups]);
    return this.users.enter(key, () => ({ name: user, client: this.users.clientOf(new Impersonation(this.own, user, groups)) }));
  }
}

/** A proxy that keeps the header of the browser is not trusted. */
function valueOf({ headersDistinct }: http.IncomingMessage, name: string): string | undefined {
  const values = headersDistinct[name] ?? [];
  if (values.length > 1) {
    throw new Refusal(400, `The header ${name} was sent ${values.length} times. The proxy must replace the header of the browser.`);
  }
  return values[0];
}

/** Checks a name. Names that begin with `system:` are reserved for Kubernetes. @throws Refusal */
function checked(name: string, header: string): string {
  if (name.length > MAX_NAME || !/^[\x21-\x7e]+$/.test(name)) {
    throw new Refusal(403, `The header ${header} has a name with more than ${MAX_NAME} characters, with spaces, or with letters that are not ASCII.`);
  }
  if (name.toLowerCase().startsWith('system:')) {
    throw new Refusal(403, `The header ${header} has the name ${name}. Names that begin with system: are reserved for Kubernetes.`);
  }
  return name;
}
