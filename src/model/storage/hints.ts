/** What a store costs and how fast it is, in words that follow from the program alone: no price list is asked, and none is known here. */
import { claimGiB, isSizeMeant, paidGiB, storagePricePerMonth, throughputOf } from './sizes';
import { BACKEND_TITLES, type StoreBackend, type StoreSpec } from './store';

/** Where prices of a backend stand. */
const PRICE_LISTS: { readonly [kind in StoreBackend['kind']]?: string } = {
  filestore: 'https://cloud.google.com/filestore/pricing',
  gcsFuse: 'https://cloud.google.com/storage/pricing',
  lustre: 'https://cloud.google.com/managed-lustre/pricing',
  hyperdiskMl: 'https://cloud.google.com/compute/disks-image-pricing',
  efs: 'https://aws.amazon.com/efs/pricing',
  azureFiles: 'https://azure.microsoft.com/pricing/details/storage/files',
  multiTier: 'https://cloud.google.com/storage/pricing',
};

/** Hints, each a sentence: what it is, how fast, at what price. */
export function storeHints(spec: StoreSpec): string[] {
  return [describe(spec), speed(spec), price(spec)].filter((line) => line !== undefined);
}

/** One line for an annotation. */
export function storeSummary(spec: StoreSpec): string {
  return storeHints(spec).join(' ');
}

function describe(spec: StoreSpec): string {
  const { backend } = spec;
  const title = BACKEND_TITLES[backend.kind];
  if (backend.kind === 'multiTier') {
    return `Tiers: ${backend.ramDiskGiB} GiB of memory of each node, memory of its peers, gs://${backend.bucket}.`;
  }
  const size = claimGiB(spec);
  const detail = backend.kind === 'filestore' ? ` ${backend.tier ?? 'standard'}${backend.maxShareGiB === undefined ? '' : ', a share'}` : '';
  if (backend.kind === 'claim') {
    return `The claim ${backend.claimName}, as it is.`;
  }
  if (!isSizeMeant(backend)) {
    return `${title}: grows with the data written; the size of the claim (${size} GiB) is not enforced.`;
  }
  return size === undefined ? `${title}.` : `${title}${detail}: ${number(size)} GiB${paidGiB(spec) === size ? '' : `, and ${number(paidGiB(spec)!)} GiB are created and billed`}.`;
}

function speed(spec: StoreSpec): string {
  const found = throughputOf(spec);
  if (found === undefined) {
    return 'Throughput: no source is known.';
  }
  const { read, write, unit, source } = found;
  return `Throughput: reads up to ${number(read)} ${unit}${write === undefined ? '' : `, writes up to ${number(write)} ${unit}`}, of all pods together (${source}).`;
}

function price(spec: StoreSpec): string | undefined {
  const { backend, pricePerGiBMonth: perGiB } = spec;
  const list = PRICE_LISTS[backend.kind];
  if (perGiB !== undefined) {
    const month = storagePricePerMonth(spec, perGiB);
    return month === undefined ? `Price: ${perGiB} a GiB and month of what is stored.` : `Price: ${number(month)} a month, at ${perGiB} a GiB.`;
  }
  return list === undefined ? undefined : `Price: none is known here; see ${list}, and give pricePerGibibyteMonth.`;
}

/** At most two digits behind the point. */
function number(value: number): string {
  return String(Math.round(value * 100) / 100);
}
