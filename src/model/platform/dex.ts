/** Dex as the platform's issuer of tokens. */
import type { PlatformSpec } from './spec';

/** Where Dex is in the cluster. */
export const DEX_ADDRESS = 'http://dex.auth.svc.cluster.local:5556/dex';

/** Connectors with a password form of Dex. All others redirect the browser to the provider, and back to the issuer. @see https://dexidp.io/docs/connectors/ */
const PASSWORD_CONNECTORS = ['ldap', 'keystone', 'atlassian-crowd'];

/** Whether a provider redirects browsers back to Dex, so that its issuer must be a URL that they reach. */
export function needsPublicIssuer({ identity }: PlatformSpec): boolean {
  return identity.kind === 'dex' && identity.connectors.some(({ type }) => !PASSWORD_CONNECTORS.includes(type));
}

/** The issuer of Dex's tokens: its address in the cluster, unless browsers must reach it. */
export function dexIssuer(spec: PlatformSpec): string {
  const { domain } = spec;
  return domain === undefined || !needsPublicIssuer(spec) ? DEX_ADDRESS : `${domain.tls.kind === 'none' ? 'http' : 'https'}://${domain.host}/dex`;
}
