/**
 * Addresses of replicas on engines where nobody knows them before the pods run: names in their place, for which the engine's driver puts them in.
 */
import type { AddressBook } from '../../../model/frameworks/address-book';

/** The book. A replica's host reads `<ROLE-INDEX>`; ports are its own. One object a job: contracts keep what they compute for it. */
export function launchedAddresses(): AddressBook {
  return {
    host: ({ role, index }) => `<${role}-${index}>`,
    port: (_replica, _name, standard) => standard,
  };
}
