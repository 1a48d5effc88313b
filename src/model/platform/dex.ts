/** Dex as the platform's issuer of tokens. */
import type { PlatformSpec } from './spec';

/** Where Dex is in the cluster. */
export const DEX_ADDRESS = 'http://dex.auth.svc.cluster.local:5556/dex';

/** Connectors that ask for a password on a page of Dex. All others send the browser away, and back to a URL of the issuer. @see https://dexidp.io/docs/connectors/ */
const PASSWORD_CONNECTORS = ['ldap', 'keystone', 'atlassian-crowd'];

/** Whether people come back to Dex from another page, so that its issuer has to be a URL that they reach. */
export function needsPublicIssuer({ identity }: PlatformSpec): boolean {
  return identity.kind === 'dex' && identity.connectors.some(({ type }) => !PASSWORD_CONNECTORS.includes(type));
}

/** The issuer of Dex's tokens. */
export function dexIssuer(spec: PlatformSpec): string {
  const { domain } = spec;
  return domain === undefined || !needsPublicIssuer(spec) ? DEX_ADDRESS : `${domain.tls.kind === 'none' ? 'http' : 'https'}://${domain.host}/dex`;
}
