/** Which addresses replicas are told: host names of pods, or ports of one machine under `trainyard dev`. */
import { createHash } from 'node:crypto';
import { LoopbackAddressBook, PodAddressBook, type AddressBook } from '../../model/frameworks/address-book';
import type { OperatorConfig } from './config';

/** Gives the address book of one attempt of a job. */
export type AddressBooks = (job: { readonly name: string; readonly uid: string }, attempt: number) => AddressBook;

/** Below the range that Linux hands out to clients (from 32768), and above the well-known services. */
const FIRST_PORT = 18_000;
const LAST_PORT = 32_000;

/** Ports that one replica may need. */
const PORTS_PER_REPLICA = 4;

/** The address books that the settings ask for. */
export function addressBooks(addresses: OperatorConfig['addresses']): AddressBooks {
  return addresses === 'pods' ? (job) => new PodAddressBook(job.name) : loopbackAddresses;
}

/**
 * Ports that follow from the job and attempt alone, so that an operator that starts again tells a replacement what its peers were told.
 * Another attempt gets other ports, because those of the last may linger. Two jobs can meet by chance; on one machine, with few jobs, rarely.
 */
function loopbackAddresses(job: { readonly uid: string }, attempt: number): AddressBook {
  const digest = createHash('sha256').update(`${job.uid}/${attempt}`).digest();
  const base = digest.readUInt32BE(0);
  const names: string[] = [];
  return new LoopbackAddressBook((replica, portName) => {
    if (!names.includes(portName)) {
      names.push(portName);
    }
    // The order in which names are first asked for is the same for every replica: the contracts decide it.
    const offset = replica.ordinal * PORTS_PER_REPLICA + names.indexOf(portName);
    return FIRST_PORT + ((base + offset) % (LAST_PORT - FIRST_PORT));
  });
}
