/** IAM members, and encryption keys for Google's services. */
import * as kms from '@pulumi/gcp/kms';
import * as projects from '@pulumi/gcp/projects';
import * as pulumi from '@pulumi/pulumi';
import { pattern, type Shape } from '../../model/shapes';
import type { Found } from './validated';

/** An IAM member. */
export const MEMBER: Shape = pattern(/^(?:user|group|serviceAccount|domain|principal|principalSet):.+$/,
  'must be an IAM member, such as serviceAccount:EMAIL, group:EMAIL or principal://...');

/** Each member gets its own grant, so the number of members must be known. */
export function checkLength(path: string, list: unknown): Found[] {
  return list === undefined || Array.isArray(list) ? [] : [{ path, value: undefined, message: 'is an output, but must be a list whose members can be outputs.' }];
}

/** Gives a service access to a key. Resources that are encrypted with it must wait for this. */
export function allowKey(
  name: string, key: pulumi.Input<string>, member: pulumi.Input<string>, opts: pulumi.CustomResourceOptions,
): kms.CryptoKeyIAMMember {
  return new kms.CryptoKeyIAMMember(`${name}-key`, { cryptoKeyId: key, role: 'roles/cloudkms.cryptoKeyEncrypterDecrypter', member }, opts);
}

/** The key, once the service has access to it. Google creates the account of the service when it is first requested. */
export function keyForService(
  name: string, key: pulumi.Input<string> | undefined, service: string, project: pulumi.Input<string> | undefined, opts: pulumi.CustomResourceOptions,
): pulumi.Input<string> | undefined {
  if (key === undefined) {
    return undefined;
  }
  const identity = new projects.ServiceIdentity(`${name}-agent`, { project, service }, opts);
  const grant = allowKey(name, key, identity.member, opts);
  return pulumi.all([key, grant.id]).apply(([text]) => text);
}
