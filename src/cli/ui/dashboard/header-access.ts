/**
 * Users whom a proxy in front has let in, and names in a header. Whoever can connect without the proxy can write any name: the NetworkPolicy of
 * `TrainyardDashboard` lets in the proxy alone. Requests to the API server are made in the user's name (impersonation).
 */
import type http from 'node:http';
import { checkSender } from './sender';
import { Impersonation, type Users } from './users';
import { Refusal } from '../server/answers';
import type { UiAccess, UiUser } from '../server/server';
import type { HeaderAuthSpec } from '../../../model/dashboard/dashboard';
import type { CredentialSource } from '../../../operator/runtime/credentials/credentials';

/** Settings. Names of headers are in lower case. */
export interface HeaderAccessOptions
  extends Pick<HeaderAuthSpec, 'userHeader' | 'headerPrefix' | 'userPrefix' | 'groupsHeader' | 'groupPrefix'> {
  readonly hosts: readonly string[];
}

/** Characters of a name, and groups of a user, at most. */
const MAX_NAME = 256;
const MAX_GROUPS = 200;

export class HeaderAccess implements UiAccess {
  public readonly protectsPages = true;

  /** @param own the dashboard's credentials, which may impersonate */
  public constructor(private readonly users: Users, private readonly own: CredentialSource, private readonly options: HeaderAccessOptions) {}

  public checkSender(request: http.IncomingMessage): void {
    // Whoever may forward a port to the pod comes from here, past the NetworkPolicy. Sidecars of a mesh come from 127.0.0.6.
    if (['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(request.socket.remoteAddress ?? '')) {
      throw new Refusal(403, 'This dashboard takes users from a proxy: open the address of the proxy. A forwarded port is refused.');
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
      throw new Refusal(401, `The proxy in front names no user: the header ${userHeader} is missing, empty, or does not begin with '${headerPrefix}'.`);
    }
    const user = `${userPrefix}${checked(shown.slice(headerPrefix.length), userHeader)}`;
    const listed = groupsHeader === undefined ? [] : (valueOf(request, groupsHeader) ?? '').split(',').map((group) => group.trim()).filter((group) => group !== '');
    if (listed.length > MAX_GROUPS) {
      throw new Refusal(403, `The header ${groupsHeader} has ${listed.length} groups, and may have ${MAX_GROUPS}. Let the proxy send those that the cluster knows.`);
    }
    const groups = [...new Set(listed)].sort().map((group) => `${groupPrefix}${checked(group, groupsHeader!)}`);
    const key = JSON.stringify([user, groups]);
    return this.users.enter(key, () => ({ name: user, client: this.users.clientOf(new Impersonation(this.own, user, groups)) }));
  }
}

/** A proxy that adds a header to the one that a browser has sent is no proxy to be believed. */
function valueOf({ headersDistinct }: http.IncomingMessage, name: string): string | undefined {
  const values = headersDistinct[name] ?? [];
  if (values.length > 1) {
    throw new Refusal(400, `The header ${name} came ${values.length} times. The proxy in front must replace what browsers send.`);
  }
  return values[0];
}

/** Checks a name. Names that begin with `system:` are reserved for Kubernetes. @throws Refusal */
function checked(name: string, header: string): string {
  if (name.length > MAX_NAME || !/^[\x21-\x7e]+$/.test(name)) {
    throw new Refusal(403, `The header ${header} has a name of more than ${MAX_NAME} characters, or with blanks or letters that are not ASCII.`);
  }
  if (name.toLowerCase().startsWith('system:')) {
    throw new Refusal(403, `The header ${header} has the name ${name}. Names that begin with system: are Kubernetes' own.`);
  }
  return name;
}
